import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Oql } from '../../../client/oql/oql.ts';
import { OqlError, parseOql } from '../../../client/oql/parse-oql.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { checkYaml, readYaml, type YamlSource } from './yaml-file.ts';

export const SEGMENTS_FILE = 'segments.yaml';
const CODE = 'bad_segments';

/** Shown in tables and questions, and accepted by `-p segment=…`. */
const Name = z
  .string('a text is expected; put a number in quotation marks')
  .min(1, 'a name is expected')
  .max(200)
  .regex(
    /^[^(\s]/,
    'a name cannot begin with a space or a bracket: (site), (directory) and (filter) are reserved',
  )
  .regex(/^\P{Cc}*$/u, 'a name cannot contain control characters')
  .regex(/\S$/, 'a name cannot end with a space');

const UrlPattern = z
  .string()
  .regex(
    /^(\/|\*|https?:\/\/)/,
    'a pattern begins with /, * or https://, as in /blog/ or *.pdf$; for a regular expression, use oql: { field: [url, contains, REGEX, { regex: true }] }',
  )
  .regex(/^\P{Cc}*$/u, 'a pattern cannot contain control characters');

const CONDITIONS = ['url', 'oql', 'sql'] as const;

const SegmentEntry = z
  .strictObject({
    name: Name.describe('Unique in its segmentation.'),
    url: z
      .union([UrlPattern, z.array(UrlPattern).min(1)])
      .optional()
      .describe(
        'One or more patterns, as in robots.txt; one must match. /blog/ matches URLs that begin with it, * any characters, $ the end.',
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

export const SegmentationEntry = z.strictObject({
  name: Name.describe(
    'A name; a segmentation of the service has the name of its field page_group_<name> without page_group_.',
  ),
  projects: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Ids, names or hosts of projects; default: all.'),
  segments: z
    .array(SegmentEntry)
    .min(1)
    .describe('The segments in order; a page belongs to the first match.'),
  else: Name.optional().describe('The segment of pages without a match; default: no segment.'),
});

export const SegmentsFile = z.strictObject({
  segmentations: z.array(SegmentationEntry).default([]).describe('The segmentations of pages.'),
});

/** The place of a value in segments.yaml, for errors. */
interface SegmentPlace {
  readonly file: string;
  readonly line: number;
  /** For example `segmentations.0.segments.2.sql`. */
  readonly key: string;
  readonly code: 'bad_segments';
}

/** The condition that places a page in a segment. */
type SegmentCondition =
  | { readonly kind: 'url'; readonly patterns: readonly string[] }
  | { readonly kind: 'oql'; readonly tree: Oql }
  | { readonly kind: 'sql'; readonly condition: string };

export interface Segment {
  readonly name: string;
  readonly condition: SegmentCondition;
  /** Place of a key below the segment, or else of the condition. */
  readonly placeOf: (path?: readonly PropertyKey[]) => SegmentPlace;
}

/** A division of pages in segments.yaml (docs/explore.md#segments). */
export interface Segmentation {
  readonly name: string;
  /** By identifier, name or host; null for all. */
  readonly projects: readonly string[] | null;
  /** In the order in which a page is compared with them. */
  readonly segments: readonly Segment[];
  /** The segment of all other pages; null if they have none. */
  readonly rest: string | null;
}

/**
 * Reads the segmentations of a project folder, in the order of the file; none without the file. Columns and SQL are
 * checked with the models (`planModels`).
 *
 * @throws CrawlhouseError `bad_segments` naming file, line, key and valid values
 */
export async function loadSegmentations(projectDir: string | undefined): Promise<readonly Segmentation[]> {
  const path = projectDir === undefined ? '' : join(projectDir, SEGMENTS_FILE);
  return existsSync(path) ? segmentationsOf(await readYaml(path, SEGMENTS_FILE, CODE)) : [];
}

/** @throws CrawlhouseError as `loadSegmentations` */
export function segmentationsOf(source: YamlSource): readonly Segmentation[] {
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

/** Converts `oql.and[0].field[2]` to the keys of its path. */
export function oqlPath(path: string): PropertyKey[] {
  return path
    .split(/[.[\]]+/)
    .flatMap((part) => (part === '' ? [] : [/^\d+$/.test(part) ? Number(part) : part]));
}

function checkNames(segmentations: z.output<typeof SegmentsFile>['segmentations'], source: YamlSource): void {
  for (const [at, { name, segments, else: rest }] of segmentations.entries()) {
    const before = segmentations
      .slice(0, at)
      .find((segmentation) => segmentation.name === name && segmentation.projects === undefined);
    if (before !== undefined)
      throw badSegments(
        placeAt(source, ['segmentations', at, 'name']),
        `a second segmentation ${name}, after one for all projects`,
        'name the projects of the first one under projects, or put it last',
      );
    const names = [...segments.map((segment) => segment.name), ...(rest === undefined ? [] : [rest])];
    const second = names.findIndex((name, index) => names.indexOf(name) < index);
    if (second === -1) continue;
    const path = second < segments.length ? ['segments', second, 'name'] : ['else'];
    throw badSegments(
      placeAt(source, ['segmentations', at, ...path]),
      `a second segment ${names[second]}`,
      'use a list of patterns in url, or in oql, or OR in sql',
    );
  }
}

const placeAt = ({ file, lineOf }: YamlSource, path: readonly PropertyKey[]): SegmentPlace => ({
  file,
  line: lineOf(path),
  key: path.join('.'),
  code: CODE,
});

function badSegments({ file, line, key }: SegmentPlace, message: string, hint: string): CrawlhouseError {
  return new CrawlhouseError(CODE, `${file}:${line}: ${key}: ${message}`, { hint });
}
