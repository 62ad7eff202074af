"""Plotly figures, made from the same rows as the table beside them."""
