import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { type Judgement, type Quantity, RULE } from './judge.ts';
import type { SoakReport } from './soak.ts';

const MIB = 1024 * 1024;
const MOST_LINES = 20;

/** What a soak found, as text: curves, verdicts, faults, incidents, counts. */
export function describeSoak(report: SoakReport): string {
  return [
    curves(report),
    verdicts(report.judgements),
    faults(report),
    incidents(report),
    ending(report),
  ].join('\n');
}

/** Sample by sample: minutes after the start, MiB, open handles, threads. */
function curves({ measured }: SoakReport): string {
  const { moments } = measured;
  const step = Math.max(1, Math.ceil(moments.length / MOST_LINES));
  const names = Object.keys(moments[0]?.processes ?? {});
  const head = ['minute', ...names.map((name) => `${name} MiB/handles/threads`)];
  const rows = moments
    .filter((_, index) => index % step === 0 || index === moments.length - 1)
    .map((moment) => [
      measured.minutes(moment).toFixed(1),
      ...names.map((name) => {
        const sample = moment.processes[name]?.sample;
        return sample ? `${mebibytes(sample.memory)}/${sample.handles}/${sample.threads}` : 'down';
      }),
      ...[moment.state, moment.warehouse, moment.temporaryDisk].map(mebibytes),
      String(moment.temporaryFiles),
    ]);
  return textTable([...head, 'state MiB', 'warehouse MiB', 'temporary MiB', 'temporary files'], rows);
}

function verdicts(judgements: readonly Judgement[]): string {
  const rows = judgements.map(({ series: { name, quantity, values }, verdict, second, last, limit }) => {
    const shown = (value: number | null): string | null => (value === null ? null : inUnit(quantity, value));
    return [quantity, name, shown(second), shown(last), shown(limit), String(values.length), verdict];
  });
  const head = ['quantity', 'of', 'second quarter', 'last quarter', 'limit', 'samples', 'verdict'];
  return `${textTable(head, rows)}${RULE}.\nNot judged: a process that was started anew behind the first quarter, or fewer than 8 samples.\n`;
}

function inUnit(quantity: Quantity, value: number): string {
  return quantity === 'memory' || quantity === 'temporary disk' ? `${mebibytes(value)} MiB` : String(value);
}

function mebibytes(bytes: number): string {
  return (bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0);
}

function faults({ faults }: SoakReport): string {
  const kinds = [...Map.groupBy(faults, ({ kind }) => kind)].map(([kind, all]) => {
    const seconds = all.reduce((sum, { from, to }) => sum + (to - from) / 1000, 0);
    return `${all.length} ${kind} (${seconds.toFixed(0)} s)`;
  });
  return `${faults.length} faults planted: ${kinds.join(', ')}\n`;
}

function incidents({ explained }: SoakReport): string {
  const lines = explained.map(({ incident, fault }) => {
    const time = new Date(incident.to).toISOString().slice(11, 19);
    const cause = fault
      ? `${fault.kind} at ${new Date(fault.from).toISOString().slice(11, 19)} UTC`
      : 'NO FAULT';
    return `  ${time} UTC  ${incident.source}: ${incident.title.split('\n')[0]?.slice(0, 140)} — ${cause}\n`;
  });
  return `${explained.length} incidents\n${lines.join('')}`;
}

function ending({ runs, reads, launched, settled, failures, isShared, folder }: SoakReport): string {
  const byStatus = Object.entries(runs).map(([status, count]) => `${count} ${status}`);
  const ledger = isShared ? 'PostgreSQL, two workers' : 'local, no workers';
  return [
    `ledger: ${ledger}; ${launched} crawls launched; runs: ${byStatus.join(', ')}`,
    `people: ${reads.pages} pages of the console, ${reads.queries} queries; ${reads.webhooks} webhooks taken`,
    `${settled.rows} rows of ${settled.crawls} crawls compared with the service`,
    failures.length === 0 ? 'flat, explained and equal' : `FAILED, the logs are in ${folder}:`,
    ...failures.map((one) => `  ${one}`),
    '',
  ].join('\n');
}
