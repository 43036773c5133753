const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`;
const COMBINED = new RegExp(
  String.raw`^(\S+) (\S+) (\S+) \[(\d\d)/(\w{3})/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)\] ${QUOTED} (\d{3}) (\d+|-) ${QUOTED} ${QUOTED}$`,
);

type PlainRow = readonly [second: number, status: string, bytes: string];

/** What a plain line says, by a reader of its own; undefined for a line that is not plain. */
export function plainLogRow(format: string, line: string): PlainRow | undefined {
  if (format === 'combined') return combinedRow(line);
  if (format === 'cloudflare')
    return jsonRow(line, ['EdgeStartTimestamp', 'EdgeResponseStatus', 'EdgeResponseBytes']);
  if (format === 'caddy') return jsonRow(line, ['ts', 'status', 'size']);
  return undefined;
}

function combinedRow(line: string): PlainRow | undefined {
  const found = COMBINED.exec(line);
  if (found === null) return undefined;
  const [day, , year, hour, minute, second] = found.slice(4, 10).map(Number);
  const month = MONTHS.indexOf(found[5] ?? '');
  if (month < 0 || second === 60) return undefined;
  const wall = Date.UTC(year ?? 0, month, day, hour, minute, second) / 1000;
  const offset = (Number(found[11]) * 60 + Number(found[12])) * 60;
  const bytes = found[15] ?? '';
  return [wall - (found[10] === '-' ? -offset : offset), found[14] ?? '', bytes === '-' ? '\\N' : bytes];
}

/** By the spelling of the numbers: none is rounded. */
function jsonRow(line: string, keys: readonly [string, string, string]): PlainRow | undefined {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line, (_key, value, context?: { source?: string }) =>
      typeof value === 'number' ? { digits: context?.source ?? '' } : value,
    ) as Record<string, unknown>;
  } catch {
    // The line is no JSON.
    return undefined;
  }
  if (Array.isArray(record)) return undefined;
  const [time, status, bytes] = keys.map((key) => (record[key] as { digits?: string } | undefined)?.digits);
  if (time === undefined || status === undefined || bytes === undefined) return undefined;
  // Seconds, or nanoseconds.
  const nanoseconds = /^\d{19}$/.test(time);
  if (!nanoseconds && !/^\d{10}(\.\d{1,6})?$/.test(time)) return undefined;
  const second = nanoseconds ? Number(BigInt(time) / 1_000_000_000n) : Math.floor(Number(time));
  if (!/^\d{3}$/.test(status) || !/^\d{1,18}$/.test(bytes)) return undefined;
  return [second, status, bytes];
}
