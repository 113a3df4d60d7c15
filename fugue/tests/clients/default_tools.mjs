// Loads the default list of tools with a version of the official TypeScript SDK, and calls each tool once. Called with the
// path of fugue, of the calls, and the modules of the client and its transport; ends with DEFAULT TOOLS OK. The SDK checks
// every reply against the tool's output schema.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const [fugue, calls, clientModule, transportModule] = process.argv.slice(2);
const { Client } = await import(clientModule);
const { StdioClientTransport } = await import(transportModule);

const client = new Client({ name: 'test', version: '1' });
await client.connect(new StdioClientTransport({ command: fugue, args: ['mcp'], env: process.env }));
const { tools } = await client.listTools();
const wanted = JSON.parse(readFileSync(calls, 'utf8'));
assert.deepEqual(tools.map((tool) => tool.name).sort(), wanted.map(([name]) => name).sort());
for (const [name, args] of wanted) {
  const result = await client.callTool({ name, arguments: args });
  assert(!result.isError && result.content[0].text, `${name}: ${JSON.stringify(result)}`);
}
await client.close();
console.log(clientModule, tools.length, 'tools');
console.log('DEFAULT TOOLS OK');
process.exit(0);
