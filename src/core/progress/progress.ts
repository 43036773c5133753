import { z } from 'zod';
import { bytesText, countText, durationText } from '../text/amounts.ts';

/** The progress of a run, for any reader. */
export const Progress = z.strictObject({
  phase: z.enum(['discover', 'download', 'stage', 'load', 'models', 'tests', 'publish']),
  /** Of the phase: models or models' tests; null if rows are the better measure. */
  steps: z.strictObject({ done: z.number(), total: z.number() }).nullable(),
  units: z.strictObject({ done: z.number(), due: z.number() }),
  rows: z.strictObject({ received: z.number(), expected: z.number(), isGuess: z.boolean() }),
  /** Bytes on the wire, of finished units. */
  bytes: z.number(),
  /** Seconds in which rows were received. */
  seconds: z.number(),
  /** Seconds since the run began. */
  elapsed: z.number(),
  left: z.number().nullable(),
});
export type Progress = z.infer<typeof Progress>;

export const UnitAtWork = z.strictObject({ unit: z.string(), phase: z.enum(['download', 'stage', 'load']) });
export type UnitAtWork = z.infer<typeof UnitAtWork>;

const BAR = 10;

/** Returns the completed share of the phase, 0 to 1; null if unknown. */
export function shareOf({ phase, steps, rows: { received, expected } }: Progress): number | null {
  if (phase === 'discover' || steps?.total === 1) return null;
  if (steps) return steps.total > 0 ? steps.done / steps.total : 1;
  return expected > 0 ? Math.min(received / expected, 1) : 0;
}

/** `[████░░░░░░] 42 % download after 50 s, about 3 min left · 250,000 of 600,000 rows · 5,000 rows/s · 10 of 40 units · 96.0 MB` */
export function describeProgress(progress: Progress): string {
  const filled = Math.floor((shareOf(progress) ?? (progress.phase === 'discover' ? 0 : 1)) * BAR);
  return `[${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}] ${progressWords(progress)}`;
}

export function progressWords(progress: Progress): string {
  const { phase, steps, units, rows, bytes, seconds, elapsed, left } = progress;
  const { received, expected, isGuess } = rows;
  const share = shareOf(progress);
  const percent = share === null ? '' : `${Math.floor(share * 100)} % `;
  const time = left === null ? '' : `, about ${wholeSeconds(left)} left`;
  const of = expected > received ? ` of ${isGuess ? 'about ' : ''}${countText(Math.round(expected))}` : '';
  const pace = seconds > 0 && received > 0 ? [`${countText(Math.round(received / seconds))} rows/s`] : [];
  const now = `${percent}${phase}${steps && steps.total > 1 ? ` ${steps.done} of ${steps.total}` : ''} after ${durationText(elapsed)}${time}`;
  // For example, for a transform.
  if (units.due === 0) return now;
  return [
    now,
    `${countText(received)}${of} rows`,
    ...pace,
    `${units.done} of ${units.due} units`,
    bytesText(bytes),
  ].join(' · ');
}

function wholeSeconds(seconds: number): string {
  return seconds < 9.95 ? `${Math.ceil(seconds)} s` : durationText(seconds);
}
