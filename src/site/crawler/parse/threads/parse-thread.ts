import { parentPort, workerData } from 'node:worker_threads';
import { answerParser } from './parse-answer.ts';
import type { ParseRequest, ParseThreadData, ParseThreadReply } from './parse-messages.ts';

/** A thread of `ParsePool`: answers requests in their order. */
const parse = answerParser(workerData as ParseThreadData);
parentPort?.on('message', (request: ParseRequest) => {
  try {
    const reply = parse(request);
    parentPort?.postMessage(reply, ownBuffers(reply));
  } catch (error) {
    // The pool tries again without the body, and reports the error if that fails too.
    parentPort?.postMessage({ error: String((error as Error | undefined)?.stack ?? error) });
  }
});

/** Returns the memory of a reply's records, which goes to the other thread. */
function ownBuffers(reply: ParseThreadReply): ArrayBuffer[] {
  if (!('pages' in reply)) return [];
  const all = [reply.pages, reply.links, reply.items].map(({ bytes }) => bytes);
  // A small Buffer shares its memory with others.
  return all.filter(({ buffer, byteLength }) => byteLength === buffer.byteLength).map(({ buffer }) => buffer);
}
