import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isSeq } from 'yaml';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { readText } from '../../../core/files/read-text.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { documentToChange } from '../../../core/text/parse-yaml.ts';
import { loadPipelines } from './pipelines.ts';
import { checkSchedules, SCHEDULES_FILE, type Schedule } from './schedules.ts';
import { yamlSource } from './yaml-file.ts';

/** A key of a schedule, or a key within it, with its new value; undefined removes the key. */
export type ScheduleKey = readonly [path: readonly string[], value: unknown];

export interface ScheduleChange {
  readonly change: 'add' | 'save' | 'delete';
  readonly name: string;
  /** The keys to write; other keys stay. */
  readonly keys: readonly ScheduleKey[];
}

/** Serializes changes. Otherwise, the later of two concurrent changes would undo the other. */
const writing = new Semaphore(1);

/**
 * Adds, changes or deletes a schedule of `schedules.yaml`. Comments, other keys and other schedules stay.
 *
 * @throws CrawlhouseError `usage` for a name that exists (`add`) or does not exist; `bad_schedule` if the file would be
 *   invalid, and then writes nothing
 */
export async function changeSchedules(projectDir: string, change: ScheduleChange): Promise<void> {
  await writing.run(async () => {
    const path = join(projectDir, SCHEDULES_FILE);
    const document = documentToChange(await readText(path));
    applyChange(document, change);
    const text = document.toString({ lineWidth: 0 });
    const datasets = (await loadPipelines(projectDir)).map(({ dataset }) => dataset);
    checkSchedules(yamlSource(text, SCHEDULES_FILE, 'bad_schedule'), datasets);
    await writeFileAtomic(path, text);
  });
}

function applyChange(document: Document, { change, name, keys }: ScheduleChange): void {
  const index = placeOf(document, name);
  if ((index === -1) !== (change === 'add'))
    throw new CrawlhouseError(
      'usage',
      change === 'add' ? `there is a schedule ${name} already` : `there is no schedule ${name}`,
      {
        hint:
          change === 'add' ? 'choose another name' : 'reload the page: the schedule may have been deleted',
      },
    );
  if (change === 'delete') document.deleteIn(['schedules', index]);
  const at = change === 'add' ? addNamed(document, name) : index;
  for (const [path, value] of change === 'delete' ? [] : keys)
    writeKey(document, ['schedules', at, ...path], value);
}

function placeOf(document: Document, name: string): number {
  const known = document.get('schedules');
  return isSeq(known) ? known.items.findIndex((item) => isMap(item) && item.get('name') === name) : -1;
}

/** Adds a schedule that has only a name; returns its place. */
function addNamed(document: Document, name: string): number {
  const known = document.get('schedules');
  const place = isSeq(known) ? known.items.length : 0;
  if (place === 0) document.set('schedules', document.createNode([{ name }]));
  else document.addIn(['schedules'], document.createNode({ name }));
  return place;
}

/** Writes a key if its value differs. The comment after a value stays. */
function writeKey(document: Document, path: readonly unknown[], value: unknown): void {
  const has = document.hasIn(path);
  if (value === undefined) {
    if (has) document.deleteIn(path);
    return;
  }
  const before: unknown = has ? document.getIn(path, true) : undefined;
  const known = before === undefined ? undefined : document.createNode(before).toJS(document);
  if (!isDeepStrictEqual(known, value))
    document.setIn(path, Array.isArray(value) ? document.createNode(value) : value);
}

/** Writes a schedule to `schedules.yaml`, replacing one of the same name. Comments and other schedules stay. */
export async function writeSchedule(
  projectDir: string,
  schedule: Partial<Schedule> & Pick<Schedule, 'name' | 'cron'>,
): Promise<void> {
  const path = join(projectDir, SCHEDULES_FILE);
  const document = documentToChange(await readText(path));
  const index = placeOf(document, schedule.name);
  const at = index === -1 ? addNamed(document, schedule.name) : index;
  document.setIn(['schedules', at], document.createNode(schedule));
  await writeFileAtomic(path, document.toString({ lineWidth: 0 }));
}
