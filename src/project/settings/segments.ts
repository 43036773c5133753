import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { Oql } from '../../service/api/oql/oql.ts';
import { OqlError, parseOql } from '../../service/api/oql/parse-oql.ts';
import { checkYaml, readYaml, type YamlSource } from './yaml-file.ts';

const FILE = 'segments.yaml';
const CODE = 'bad_segments';

/** Tables and questions show it, and `-p segment=…` gives it. */
const Name = z
  .string('a text is expected; put a number in quotation marks')
  .min(1, 'a name is expected')
  .max(200)
  .regex(/^[^(\s]/, 'a name begins with no space and no bracket: (site), (directory) and (filter) are taken')
  .regex(/^\P{Cc}*$/u, 'a name has no control characters')
  .regex(/\S$/, 'a name ends with no space');

const UrlPattern = z
  .string()
  .regex(
    /^(\/|\*|https?:\/\/)/,
    'a pattern begins with /, * or https://, as in /blog/ or *.pdf$; a regular expression goes into oql: { field: [url, contains, REGEX, { regex: true }] }',
  )
  .regex(/^\P{Cc}*$/u, 'a pattern has no control characters');

const CONDITIONS = ['url', 'oql', 'sql'] as const;

const SegmentEntry = z
  .strictObject({
    name: Name.describe('Unique in its segmentation.'),
    url: z
      .union([UrlPattern, z.array(UrlPattern).min(1)])
      .optional()
      .describe(
        'A pattern, or several of which one must fit, as in robots.txt: /blog/ is what begins with it, * any characters, $ the end.',
      ),
    oql: z
      .record(z.string(), z.unknown(), 'a filter is expected, such as { field: [depth, gt, 5] }')
      .optional()
      .describe('A filter of the service on columns of mart.pages (docs/client.md#filters).'),
    sql: z.string().min(1).optional().describe('A condition in SQL on columns of mart.pages.'),
  })
  .refine((entry) => CONDITIONS.filter((key) => entry[key] !== undefined).length === 1, {
    error: `a segment has exactly one of ${CONDITIONS.join(', ')}`,
  })
  .meta({ oneOf: CONDITIONS.map((key) => ({ required: [key] })) });

const SegmentationEntry = z.strictObject({
  name: Name.describe('As the service names its own: page_group_<name> without page_group_.'),
  projects: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Ids, names or hosts of projects; default: all of them.'),
  segments: z.array(SegmentEntry).min(1).describe('The first one that a page fits is its segment.'),
  else: Name.optional().describe('The segment of pages that fit none; default: they have no segment.'),
});

export const SegmentsFile = z.strictObject({
  segmentations: z.array(SegmentationEntry).default([]).describe('Divisions of pages, one each.'),
});

/** Where a value stands in segments.yaml, as errors name it. */
interface SegmentPlace {
  readonly file: string;
  readonly line: number;
  /** Such as `segmentations.0.segments.2.sql`. */
  readonly key: string;
  readonly code: 'bad_segments';
}

/** What a page is in a segment by. */
type SegmentCondition =
  | { readonly kind: 'url'; readonly patterns: readonly string[] }
  | { readonly kind: 'oql'; readonly tree: Oql }
  | { readonly kind: 'sql'; readonly condition: string };

export interface Segment {
  readonly name: string;
  readonly condition: SegmentCondition;
  /** Of a key below the segment, else of the condition. */
  readonly placeOf: (path?: readonly PropertyKey[]) => SegmentPlace;
}

/** A division of pages of segments.yaml (docs/explore.md#segments). */
export interface Segmentation {
  readonly name: string;
  /** By identifier, name or host; null for all. */
  readonly projects: readonly string[] | null;
  /** In the order in which a page is compared with them. */
  readonly segments: readonly Segment[];
  /** The segment of all other pages; null: they have none. */
  readonly rest: string | null;
}

/**
 * The segmentations of a project folder, in the order of the file; none without the file. Columns and SQL are checked
 * with the models (`planModels`).
 *
 * @throws CrawlhouseError `bad_segments` naming file, line, key and what would work
 */
export async function loadSegmentations(projectDir: string | undefined): Promise<readonly Segmentation[]> {
  const path = projectDir === undefined ? '' : join(projectDir, FILE);
  if (!existsSync(path)) return [];
  const source = await readYaml(path, FILE, CODE);
  const { segmentations } = checkYaml(SegmentsFile, source, CODE);
  checkNames(segmentations, source);
  return segmentations.map(({ name, projects, segments, ...entry }, at) => ({
    name,
    projects: projects ?? null,
    segments: segments.map((segment, index) => {
      return readSegment(segment, ['segmentations', at, 'segments', index], source);
    }),
    rest: entry.else ?? null,
  }));
}

function readSegment(
  { name, url, oql, sql }: z.output<typeof SegmentEntry>,
  path: readonly PropertyKey[],
  source: YamlSource,
): Segment {
  const key = url === undefined ? (oql === undefined ? 'sql' : 'oql') : 'url';
  const placeOf = (below: readonly PropertyKey[] = [key]): SegmentPlace =>
    placeAt(source, [...path, ...below]);
  if (url !== undefined)
    return { name, placeOf, condition: { kind: 'url', patterns: typeof url === 'string' ? [url] : url } };
  if (oql === undefined) return { name, placeOf, condition: { kind: 'sql', condition: sql ?? '' } };
  try {
    return { name, placeOf, condition: { kind: 'oql', tree: parseOql(oql) } };
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    throw badSegments(
      placeOf(oqlPath(error.path)),
      error.detail,
      'docs/client.md#filter-types has the filter types',
    );
  }
}

/** `oql.and[0].field[2]` as the keys that lead there. */
export function oqlPath(path: string): PropertyKey[] {
  return path
    .split(/[.[\]]+/)
    .flatMap((part) => (part === '' ? [] : [/^\d+$/.test(part) ? Number(part) : part]));
}

function checkNames(segmentations: z.output<typeof SegmentsFile>['segmentations'], source: YamlSource): void {
  for (const [at, { name, segments, else: rest }] of segmentations.entries()) {
    const before = segmentations.slice(0, at).find((one) => one.name === name && one.projects === undefined);
    if (before !== undefined)
      throw badSegments(
        placeAt(source, ['segmentations', at, 'name']),
        `a second segmentation ${name}, behind one for all projects`,
        'name the projects of the first one under projects, or put it last',
      );
    const names = [...segments.map((segment) => segment.name), ...(rest === undefined ? [] : [rest])];
    const second = names.findIndex((one, index) => names.indexOf(one) < index);
    if (second === -1) continue;
    const path = second < segments.length ? ['segments', second, 'name'] : ['else'];
    throw badSegments(
      placeAt(source, ['segmentations', at, ...path]),
      `a second segment ${names[second]}`,
      'url takes a list of patterns; or in oql and OR in sql join conditions',
    );
  }
}

const placeAt = ({ file, lineOf }: YamlSource, path: readonly PropertyKey[]): SegmentPlace => ({
  ...{ file, line: lineOf(path), key: path.join('.'), code: CODE },
});

function badSegments({ file, line, key }: SegmentPlace, message: string, hint: string): CrawlhouseError {
  return new CrawlhouseError(CODE, `${file}:${line}: ${key}: ${message}`, { hint });
}
