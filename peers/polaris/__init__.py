"""Apache Polaris, built from its released jars."""
