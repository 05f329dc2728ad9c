"""Wrong scan plans."""

from __future__ import annotations

from reference_server.faults import body_becomes, fault
from reference_server.iceberg.faults.blocks import ANSWERS, RESULTS, START, answer_becomes, tasks_become
from reference_server.iceberg.metadata.reading import Json

fault("scan-file-lost", "The last of several files in an answer is lost.", on=ANSWERS)(
    tasks_become(lambda tasks: tasks[:-1] if len(tasks) > 1 else tasks)
)
fault("scan-file-doubled", "The first file of an answer has two tasks.", on=ANSWERS)(
    tasks_become(lambda tasks: [tasks[0], *tasks])
)

LISTS = ("file-scan-tasks", "plan-tasks", "delete-files")


def _without_tasks(body: Json) -> Json:
    return {name: value for name, value in body.items() if name not in LISTS}


fault("scan-tasks-later", "A completed scan plan has no tasks in its first answer: they can be fetched.", on=START)(
    body_becomes(_without_tasks, 200)
)
fault("scan-one-id", "All scan plans have the same id.", on=START)(answer_becomes(plan_id=lambda _id: "1"))

fault("scan-plan-tasks-lost", "Files that do not fit into the first answer are forgotten.", on=RESULTS)(
    answer_becomes(plan_tasks=lambda _tasks: [])
)
