"""What requirements of scan planning are made of: values, files with manifests, conditions, answers."""
