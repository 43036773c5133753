import type { StoreAnswer } from '../store-server.ts';

export function jsonAnswer(value: unknown, status = 200): StoreAnswer {
  const headers = { 'content-type': 'application/json; charset=UTF-8' };
  return { status, headers, body: JSON.stringify(value) };
}
