import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, isMap, isNode, isSeq, type YAMLMap } from 'yaml';
import type { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { readText } from '../../../core/files/read-text.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { documentToChange } from '../../../core/text/parse-yaml.ts';
import { stampOf } from './crawls/crawl-file.ts';
import {
  SEGMENTS_FILE,
  type Segmentation,
  type SegmentationEntry,
  SegmentsFile,
  segmentationsOf,
} from './segments.ts';
import { checkYaml, yamlSource } from './yaml-file.ts';

/** A segmentation as it is written in segments.yaml. */
export type WrittenSegmentation = z.input<typeof SegmentationEntry>;

interface SegmentsChange {
  /** The place of the segmentation in the file, from 0; null: a new one at the end. */
  readonly at: number | null;
  /** Null: remove the segmentation. */
  readonly next: WrittenSegmentation | null;
  /** The file when the person opened it (`segmentsStamp`). */
  readonly stamp: string;
}

/** Returns a short hash of segments.yaml, by which a change of an older file is refused. */
export async function segmentsStamp(projectDir: string): Promise<string> {
  return stampOf(await fileText(projectDir));
}

/** Returns the segmentations as they are written; none without the file. */
export async function writtenSegmentations(projectDir: string): Promise<readonly WrittenSegmentation[]> {
  const source = yamlSource(await fileText(projectDir), SEGMENTS_FILE, 'bad_segments');
  return checkYaml(SegmentsFile, source, 'bad_segments').segmentations;
}

/**
 * Returns the text of segments.yaml after a change, and its segmentations. Comments and other segmentations stay.
 *
 * @throws CrawlhouseError `usage` if the file has changed meanwhile; `bad_segments` naming line and key in the changed
 *   text
 */
export async function changedSegments(
  projectDir: string,
  { at, next, stamp }: SegmentsChange,
): Promise<{ readonly text: string; readonly segmentations: readonly Segmentation[] }> {
  const before = await fileText(projectDir);
  if (stampOf(before) !== stamp)
    throw new CrawlhouseError('usage', 'segments.yaml has changed since you opened the page', {
      hint: 'open the Segments page again, and make the change there',
    });
  const document = documentToChange(before);
  const known = document.get('segmentations');
  if (isSeq(known)) known.flow = false;
  const own = isSeq(known) && at !== null ? known.items[at] : null;
  if (at === null ? next === null : !isMap(own))
    throw new CrawlhouseError('usage', `there is no segmentation ${at ?? 'without a place'}`);
  if (at === null && next !== null) refuseTwin(next, document.toJS());
  if (next === null) document.deleteIn(['segmentations', at]);
  else if (isMap(own)) changeMap(own, next, document);
  else if (isSeq(known)) document.addIn(['segmentations'], document.createNode(next));
  else document.set('segmentations', document.createNode([next]));
  const text = document.toString({ lineWidth: 0 });
  return { text, segmentations: segmentationsOf(yamlSource(text, SEGMENTS_FILE, 'bad_segments')) };
}

/** Changes only the keys and the segments that differ, so that the comments of the others stay. */
function changeMap(own: YAMLMap, next: WrittenSegmentation, document: Document): void {
  const written = (node: unknown): string => stringifyJson(isNode(node) ? node.toJS(document) : node);
  for (const key of ['name', 'projects', 'else'] as const) {
    if (next[key] === undefined) own.delete(key);
    else if (written(own.get(key, true)) !== stringifyJson(next[key])) own.set(key, next[key]);
  }
  const segments = own.get('segments');
  const known = isSeq(segments) ? segments.items : [];
  const items = next.segments.map(
    (segment) => known.find((one) => written(one) === stringifyJson(segment)) ?? document.createNode(segment),
  );
  if (isSeq(segments)) segments.items = items;
  else own.set('segments', items);
}

/** Refuses a second segmentation with the same name, which would have no effect on the projects of the first. */
function refuseTwin({ name, projects }: WrittenSegmentation, file: unknown): void {
  const { segmentations } = SegmentsFile.catch({ segmentations: [] }).parse(file ?? {});
  const isTwin = segmentations.some(
    (segmentation) =>
      segmentation.name === name &&
      (!segmentation.projects || !projects || segmentation.projects.some((own) => projects.includes(own))),
  );
  if (!isTwin) return;
  throw new CrawlhouseError('usage', `there already is a segmentation ${name} for these projects`, {
    hint: 'edit that segmentation, or choose another name or other projects',
  });
}

/** Serializes changes. Otherwise, the later of two concurrent changes would undo the other. */
const writing = new Semaphore(1);

/**
 * Writes a change to segments.yaml.
 *
 * @param check throws if the segmentations do not fit the columns of the warehouse; then nothing is written
 */
export async function changeSegments(
  projectDir: string,
  change: SegmentsChange,
  check: (segmentations: readonly Segmentation[]) => Promise<void>,
): Promise<void> {
  await writing.run(async () => {
    const { text, segmentations } = await changedSegments(projectDir, change);
    await check(segmentations);
    await writeFileAtomic(join(projectDir, SEGMENTS_FILE), text);
  });
}

async function fileText(projectDir: string): Promise<string> {
  const path = join(projectDir, SEGMENTS_FILE);
  return existsSync(path) ? await readText(path) : '';
}
