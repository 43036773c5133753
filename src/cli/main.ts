#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(`crawlhouse needs Node.js 24 or later; this is ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  // node:sqlite warns that it is experimental in Node.js 24; that is our concern, not the user's.
  process.removeAllListeners('warning');
  // Rows are DuckDB's. What is left is small, and V8 would let it grow fivefold (docs/decisions/warehouse-file.md).
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
  const { main } = await import('./app.ts');
  process.exitCode = await main(process.argv.slice(2));
}
