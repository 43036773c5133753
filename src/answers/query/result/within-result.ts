import { bytesOf, bytesText } from '../../../core/text/amounts.ts';
import { type QueryLimits, queryLimitError } from '../query-limits.ts';
import type { Write } from './write-result.ts';

/** Writes until there is more text than `limits` allow. */
export function withinResult({ result }: QueryLimits, write: Write): Write {
  const most = bytesOf(result);
  let bytes = 0;
  return async (text) => {
    bytes += Buffer.byteLength(text);
    if (bytes > most) throw queryLimitError(`it gave more than ${bytesText(most)}`, 'query_result_limit');
    await write(text);
  };
}
