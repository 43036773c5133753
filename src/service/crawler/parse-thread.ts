import { parentPort, workerData } from 'node:worker_threads';
import { answerParser } from './parse-answer.ts';
import type { ParseRequest, ParseThreadData } from './parse-messages.ts';

/** A thread of `ParsePool`: answers requests in their order. */
const parse = answerParser(workerData as ParseThreadData);
parentPort?.on('message', (request: ParseRequest) => {
  try {
    parentPort?.postMessage(parse(request));
  } catch (error) {
    // The pool asks again without the body, and tells the error if that fails too.
    parentPort?.postMessage({ error: String((error as Error | undefined)?.stack ?? error) });
  }
});
