"""Models leave refrank and come back: LightGBM, treelite, ONNX and XGBoost, each in a file of its own kind.

    exporting    `packing` takes sums of trees out of a ranker; `lightgbm`, `treelite`, `onnx` and `xgboost` write
                 them; `verification` scores rows by the program of the format, and compares
    importing    `lightgbm_reader` and `xgboost_reader` read a file into an `ImportedRanker`, which predicts

A module here has the name of the program that it serves, and imports that program where it is needed only.
docs/use/exchange.md says what is equal in every bit, what is within which bound, and what a format cannot hold.
"""
