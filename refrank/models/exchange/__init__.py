"""Export and import of models: LightGBM, treelite, ONNX, XGBoost and RankLib, each with its own file format.

    exporting    `packing` takes sums of trees out of a ranker; `lightgbm`, `treelite`, `onnx`, `xgboost` and
                 `ranklib` write them; `verification` scores rows by the format's program, and compares
    importing    `lightgbm_reader` and `xgboost_reader` read a file into an `ImportedRanker`, which predicts;
                 `import_verification` scores rows by the program that wrote the file, and compares

A module here has the name of the program that it serves, and imports that program only when needed.
docs/use/exchange.md lists what is equal to the bit, what has which bound, and what a format cannot hold.
"""
