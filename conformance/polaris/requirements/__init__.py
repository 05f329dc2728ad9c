"""Requirements on Apache Polaris, one module per subject."""
