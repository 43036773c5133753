import { openAlertStore } from '../../src/app/operations/alert/open-alert-store.ts';
import { OVER } from '../../src/etl/pipeline/routes/export/data-export-job.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import { readLedger } from '../../src/etl/state/ledger/open-ledger.ts';
import type { Disk } from './disk.ts';
import { BUCKET } from './machine.ts';
import type { Oracle } from './oracle.ts';
import type { SimPostgres } from './sim-postgres.ts';
import type { SimProcess } from './sim-process.ts';
import type { SimService } from './sim-service.ts';
import { contentsOf } from './sim-warehouse.ts';
import { PIPELINES, STATE } from './site.ts';

interface End {
  readonly process: SimProcess;
  readonly oracle: Oracle;
  readonly settings: Settings;
  readonly service: SimService;
  readonly bucket: Disk;
  readonly server: SimPostgres;
}

/** Holds what is there at the end against what has to be there. */
export async function holdEnd(end: End): Promise<void> {
  holdRows(end);
  await holdLedger(end);
  await holdAlerts(end);
  holdLeftovers(end);
}

function holdRows({ process, oracle, settings, service }: End): void {
  const { disk } = process.machine;
  const found = contentsOf(disk.files.get(settings.warehouse)?.data.toString() ?? '');
  const wanted = new Map<string, readonly string[]>(
    service
      .finished()
      .flatMap(({ id, rows }) => PIPELINES.map(({ dataset }) => [`${dataset}/${id}`, rows] as const)),
  );
  const loads = found?.loads ?? {};
  for (const [unit, rows] of wanted) {
    const own = loads[unit]?.rows;
    oracle.hold('every crawl once', own !== undefined, `${process.machine.name}: ${unit} is not there`);
    const isSame = own === undefined || own.join('\n') === rows.join('\n');
    oracle.hold('every crawl once', isSame, `${process.machine.name}: ${unit} has ${own?.join(' ')}`);
  }
  for (const unit of Object.keys(loads))
    oracle.hold(
      'every crawl once',
      wanted.has(unit),
      `${process.machine.name}: ${unit} is there and is not finished`,
    );
}

async function holdLedger({ oracle, settings, server }: End): Promise<void> {
  await using ledger = await readLedger(settings);
  oracle.hold('no lost unit', ledger !== undefined, 'the ledger is gone');
  for (const { unit, status, error } of (await ledger?.units()) ?? [])
    oracle.hold(
      'no lost unit',
      status === 'published',
      `${unit} is ${status}: ${error?.message ?? 'no error'}`,
    );
  for (const { run_id, status } of (await ledger?.runs()) ?? [])
    oracle.hold('no lost unit', status !== 'running', `the run ${run_id} is running, and no process is`);
  // A ledger that a crash has put back may not know which run has loaded the rows of a data export.
  for (const { unit, status } of oracle.hasForgotten ? [] : ((await ledger?.exports()) ?? []))
    oracle.hold('no leftovers', OVER.includes(status), `the data export of ${unit} is ${status}`);
  if (settings.ledger === undefined) return;
  for (const { unit, status } of server.committed(`SELECT unit, status FROM "crawlhouse".queue`))
    oracle.fail('no leftovers', `${unit} is ${status} in the queue`);
}

async function holdAlerts({ oracle, settings }: End): Promise<void> {
  await using store = await openAlertStore(settings);
  for (const { alert } of await store.undelivered()) oracle.fail('alerts', `${alert.title} is not delivered`);
  for (const { key } of await store.incidents()) oracle.fail('alerts', `${key} is not over`);
  if (oracle.hasForgotten) return;
  const of = (isEnd: boolean): Set<string> =>
    new Set(
      oracle.alerts
        .filter(({ event }) => (event === 'recovery') === isEnd)
        .map(({ incident, since }) => `${incident} since ${since}`),
    );
  const [raised, ended] = [of(false), of(true)];
  for (const one of raised) oracle.hold('alerts', ended.has(one), `nobody hears that ${one} is over`);
  for (const one of ended) oracle.hold('alerts', raised.has(one), `nobody heard of ${one} before its end`);
}

function holdLeftovers({ process, oracle, settings, bucket }: End): void {
  const { files, folders } = process.machine.disk;
  const left = [...files.keys(), ...folders.keys()].filter(
    (path) =>
      path.startsWith(`${settings.warehouse}.`) ||
      [`${STATE}/packages/`, `${STATE}/raw/`].some((folder) => path.startsWith(folder)) ||
      path === `${STATE}/progress.json`,
  );
  oracle.hold(
    'no leftovers',
    left.length === 0,
    `${process.machine.name} has ${left.slice(0, 3).join(', ')}`,
  );
  const packages = [...bucket.files.keys()].filter(
    (path) => path.startsWith(`${BUCKET}/packages/`) && !path.includes('/.uploads/'),
  );
  oracle.hold('no leftovers', packages.length === 0, `the store has ${packages.slice(0, 3).join(', ')}`);
}
