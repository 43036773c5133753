import { execFileSync, spawnSync } from 'node:child_process';
import { decompress } from '../../../src/site/access-logs/decompress.ts';
import { called, Fault, plainTarget, type Verdict } from '../target.ts';

const MIB = 1024 * 1024;
/** A log may be of any size; a case that grows beyond is no longer interesting. */
const MOST_BYTES = 16 * MIB;
const TEXT = '127.0.0.1 - - [24/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5\n'.repeat(30);
const HAS_PROGRAM = spawnSync('bzip2', ['--version']).error === undefined;

/**
 * A stream that was damaged or cut anywhere is refused. The program says on standard error what it passes over, and a
 * log of which a part is passed over must not be taken.
 */
async function check(input: Buffer, signal: AbortSignal): Promise<Verdict> {
  // Other bytes are a text or another compression, which `compression` plays.
  if (!HAS_PROGRAM || input.subarray(0, 3).toString('latin1') !== 'BZh') return 'refused';
  const size = 1 + (input.length % 512);
  let isLong = false;
  const found = await called(async () => {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of decompress('a.log', piecesOf(input, size), signal)) {
      length += piece.length;
      isLong = length > MOST_BYTES;
      if (isLong) break;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  });
  if (found === undefined) return 'refused';
  if (isLong) return 'taken';
  const plain = spawnSync('bzip2', ['-dc'], { input, maxBuffer: 2 * MOST_BYTES });
  const said = plain.stderr.toString();
  if (plain.status !== 0 || said !== '') throw new Fault('a damaged stream is taken', said);
  if (!plain.stdout.equals(found.value)) throw new Fault('the text is another one', found.value.length);
  return 'taken';
}

async function* piecesOf(input: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < input.length; at += size) yield input.subarray(at, at + size);
}

function packed(text: string | Buffer, level = 9): Buffer {
  return HAS_PROGRAM ? execFileSync('bzip2', [`-${level}c`], { input: text }) : Buffer.from('BZh9');
}

const whole = packed(TEXT);

/** bzip2 of logs, which a program of the system unpacks. */
export const bzip2 = plainTarget(
  {
    name: 'bzip2',
    seeds: [
      whole,
      Buffer.concat([whole, packed(TEXT, 1)]),
      packed(''),
      whole.subarray(0, -5),
      packed(Buffer.alloc(8 * MIB)),
    ],
    words: ['BZh9', 'BZh1', '1AY&SY', '\x17rE8P\x90', 'BZh'],
    shortRound: 100,
  },
  check,
);
