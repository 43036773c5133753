import type { LifeReport } from './campaign.ts';

const DEATHS = ['kill', 'kill after', 'crash', 'crash after'];

/** What happened in the lives, by fault and by the step at which processes and machines died. */
export function summaryOf(lives: readonly LifeReport[], seconds: number): string {
  const all = lives.flatMap(({ happened }) => happened);
  const faults = countBy(all.map(({ fault }) => fault));
  const steps = countBy(all.filter(({ fault }) => DEATHS.includes(fault)).map(({ kind }) => kind));
  const kinds = countBy(lives.flatMap((life) => (life.kinds.length === 0 ? ['one machine'] : life.kinds)));
  const failed = lives.filter(({ violation }) => violation !== null);
  const table = (title: string, counts: readonly (readonly [string, number])[]): string[] => [
    title,
    ...counts.map(([name, count]) => `  ${name.padEnd(24)}${String(count).padStart(7)}`),
  ];
  return [
    `${lives.length} lives in ${seconds.toFixed(0)} s, ${(lives.length / seconds).toFixed(1)} a second; ${failed.length} failed`,
    ...table('lives', kinds),
    ...table('faults', faults),
    ...table('deaths by step', steps),
    ...(failed.length > 0
      ? table('failures by oracle', countBy(failed.map((one) => one.violation?.oracle ?? '')))
      : []),
  ].join('\n');
}

function countBy(names: readonly string[]): (readonly [string, number])[] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, all]) => [name, all.length] as const)
    .sort((a, b) => b[1] - a[1]);
}
