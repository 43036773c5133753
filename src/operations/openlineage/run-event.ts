import { createHash } from 'node:crypto';

/** The version of the specification that the events follow. */
const SPEC = 'https://openlineage.io/spec';

interface Facet {
  readonly _producer: string;
  readonly _schemaURL: string;
}

export type Facets = Readonly<Record<string, Facet>>;

export interface LineageDataset {
  readonly namespace: string;
  readonly name: string;
  readonly facets?: Facets;
  readonly inputFacets?: Facets;
  readonly outputFacets?: Facets;
}

/** An event of OpenLineage (https://openlineage.io/spec/2-0-2/OpenLineage.json, RunEvent). */
export interface RunEvent {
  readonly eventType: 'START' | 'COMPLETE' | 'FAIL' | 'ABORT';
  /** ISO 8601, UTC. */
  readonly eventTime: string;
  readonly producer: string;
  readonly schemaURL: string;
  readonly run: { readonly runId: string; readonly facets: Facets };
  readonly job: { readonly namespace: string; readonly name: string; readonly facets: Facets };
  readonly inputs: readonly LineageDataset[];
  readonly outputs: readonly LineageDataset[];
}

export const RUN_EVENT_SCHEMA = `${SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent`;

/** The facets that the events have, by key: the version and the name of their schemas. */
const STANDARD_FACETS = {
  parent: ['1-2-0', 'ParentRunFacet'],
  errorMessage: ['1-0-1', 'ErrorMessageRunFacet'],
  jobType: ['2-0-4', 'JobTypeJobFacet'],
  sql: ['1-1-0', 'SQLJobFacet'],
  schema: ['1-2-0', 'SchemaDatasetFacet'],
  documentation: ['1-1-0', 'DocumentationDatasetFacet'],
  columnLineage: ['1-2-0', 'ColumnLineageDatasetFacet'],
  outputStatistics: ['1-0-2', 'OutputStatisticsOutputDatasetFacet'],
  dataQualityAssertions: ['1-1-0', 'DataQualityAssertionsDatasetFacet'],
} as const;
/** Facets of our own: the run of `ops.runs`, and the six counts of a unit. */
type OwnFacet = 'crawlhouse_run' | 'crawlhouse_unit';

export function facet(
  producer: string,
  key: keyof typeof STANDARD_FACETS | OwnFacet,
  content: Readonly<Record<string, unknown>>,
): Facets {
  const schema = Object.hasOwn(STANDARD_FACETS, key)
    ? STANDARD_FACETS[key as keyof typeof STANDARD_FACETS]
    : undefined;
  const _schemaURL = schema
    ? `${SPEC}/facets/${schema[0]}/${schema[1]}.json#/$defs/${schema[1]}`
    : `urn:crawlhouse:openlineage:${key}:1`;
  return { [key]: { _producer: producer, _schemaURL, ...content } };
}

/** The id of a part of a run: the same for the same run and name (UUID of version 8, RFC 9562). */
export function partId(runId: string, name: string): string {
  const bytes = createHash('sha256').update(`${runId} ${name}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
