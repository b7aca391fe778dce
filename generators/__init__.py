"""Programs that write committed files, and that no installation has.

python -m generators.vectors         yardstick/vectors/data/, from the families in generators/cases/
python -m generators.trace_schema    docs/port/trace.schema.json
"""
