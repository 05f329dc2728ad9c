"""Scenarios of Spark with Lance's connector, and of jobs with pylance on executors."""
