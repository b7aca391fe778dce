"""Programs that write committed files; installations do not contain them.

python -m generators.vectors         yardstick/vectors/data/, from the families in generators/cases/
python -m generators.trace_schema    docs/port/trace.schema.json
"""
