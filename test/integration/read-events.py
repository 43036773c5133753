"""Reads events, one JSON document a line, into the classes of the OpenLineage client; they refuse what is wrong."""
import json
import sys

from openlineage.client import event_v2 as events
from openlineage.client import facet_v2 as facets


def made(kind, value):
    """An object of the client's class: an unknown key is a TypeError, a wrong id, time or URI a ValueError."""
    extra = {key: value[key] for key in value if key not in ("_producer", "_schemaURL")}
    built = kind(**extra)
    if built._schemaURL != value["_schemaURL"]:
        raise ValueError(f"{kind.__name__}: {value['_schemaURL']} is not {built._schemaURL}")
    return built


def parent(value):
    module = facets.parent_run
    return made(module.ParentRunFacet, {**value, "run": module.Run(**value["run"]), "job": module.Job(**value["job"])})


def schema(value):
    module = facets.schema_dataset
    return made(module.SchemaDatasetFacet, {**value, "fields": [module.SchemaDatasetFacetFields(**one) for one in value["fields"]]})


def lineage(value):
    module = facets.column_lineage_dataset
    fields = {
        name: module.Fields(inputFields=[module.InputField(**one) for one in of["inputFields"]])
        for name, of in value["fields"].items()
    }
    return made(module.ColumnLineageDatasetFacet, {**value, "fields": fields})


def assertions(value):
    module = facets.data_quality_assertions_dataset
    return made(module.DataQualityAssertionsDatasetFacet, {**value, "assertions": [module.Assertion(**one) for one in value["assertions"]]})


def plain(kind):
    return lambda value: made(kind, value)


READERS = {
    "parent": parent,
    "errorMessage": plain(facets.error_message_run.ErrorMessageRunFacet),
    "jobType": plain(facets.job_type_job.JobTypeJobFacet),
    "sql": plain(facets.sql_job.SQLJobFacet),
    "schema": schema,
    "documentation": plain(facets.documentation_dataset.DocumentationDatasetFacet),
    "columnLineage": lineage,
    "outputStatistics": plain(facets.output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet),
    "dataQualityAssertions": assertions,
}
seen = {}


def read(values):
    for key, value in (values or {}).items():
        seen[key] = seen.get(key, 0) + 1
        if not key.startswith("crawlhouse_"):
            READERS[key](value)
    return {}


def dataset(kind, value):
    for key in ("facets", "inputFacets", "outputFacets"):
        if key in value:
            value = {**value, key: read(value[key])}
    return kind(**value)


count = 0
for line in open(sys.argv[1], encoding="utf-8"):
    event = json.loads(line)
    event["eventType"] = events.RunState[event["eventType"]]
    event["run"] = events.Run(runId=event["run"]["runId"], facets=read(event["run"]["facets"]))
    event["job"] = events.Job(**{**event["job"], "facets": read(event["job"]["facets"])})
    event["inputs"] = [dataset(events.InputDataset, one) for one in event["inputs"]]
    event["outputs"] = [dataset(events.OutputDataset, one) for one in event["outputs"]]
    url = event.pop("schemaURL")
    if events.RunEvent(**event).schemaURL != url:
        raise ValueError(url)
    count += 1
print(json.dumps({"events": count, "facets": seen}))
