// The official TypeScript SDK with `fugue mcp`, in both protocol eras. Called with the path of fugue; ends with TYPESCRIPT OK.
// The client checks every structured result against the tool's output schema.

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

async function talk(mode) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command: process.argv[2], args: ['mcp'], env: process.env }));
  const call = (name, args = {}, options) => client.callTool({ name, arguments: args }, options);
  const { tools } = await client.listTools();
  assert(tools.some((tool) => tool.name === 'fugue_create_pane'));

  const made = (await call('fugue_create_session', { command: 'cat' })).structuredContent;
  const { session_id: session, pane_id: pane } = made;
  assert.deepEqual(made.dimensions, { cols: 80, rows: 24 });
  const other = (await call('fugue_create_pane', { session, command: 'cat' })).structuredContent;
  assert.equal(other.session_id, session);
  // Every kind of reply, so that every output schema is checked against one.
  await call('fugue_list_sessions');
  await call('fugue_list_panes', { session });
  await call('fugue_zoom_pane', { pane_id: pane });
  await call('fugue_rename_pane', { pane_id: pane, name: 'cat' });
  await call('fugue_set_tags', { session, add: ['worker'] });
  await call('fugue_set_metadata', { session, key: 'k', value: 'v' });
  await call('fugue_rename_session', { session, name: `ts-${Date.now()}` });
  await call('fugue_server_status');

  await call('fugue_send_input', { pane_id: pane, input: 'from typescript\n' });
  const waited = await call('fugue_wait', { pane_id: pane, pattern: '^from typescript$' });
  assert.equal(waited.structuredContent.outcome, 'matched');
  const read = await call('fugue_get_output', { pane_id: pane });
  assert(read.structuredContent === undefined && read.content[0].text.includes('\nfrom typescript\n'));
  const ended = call('fugue_wait', { pane_id: other.pane_id, until: 'exit' });
  await call('fugue_send_input', { pane_id: other.pane_id, input: '', keys: ['C-d'] });
  assert.deepEqual((await ended).structuredContent.exit, { code: 0 });

  const parts = { direction: 'below', children: [{ command: 'cat' }, { command: 'bash' }] };
  const window = (await call('fugue_create_layout', { session, layout: parts })).structuredContent;
  const shell = window.panes[1].pane_id;
  const ran = await call('fugue_run', { pane_id: shell, command: 'cd / && pwd && false' });
  assert(ran.content[0].text.startsWith('exit 1 · pane ') && ran.content[0].text.endsWith('\n/'), ran.content[0].text);
  const done = await call('fugue_wait', { panes: [shell, pane], until: 'command_done', timeout_ms: 5000 });
  assert.equal(done.structuredContent.outcome, 'command_done');
  assert(done.structuredContent.pane_id.endsWith(shell));

  const who = await call('fugue_whoami');
  assert(who.isError && JSON.parse(who.content[0].text).error === 'Not running inside fugue');
  const none = await call('fugue_create_pane', { session: 'nobody' });
  assert(none.isError && none.content[0].text.startsWith('Session not found: nobody\nhint: '));

  const told = [];
  const long = { pane_id: pane, until: 'exit', timeout_ms: 2500 };
  await call('fugue_wait', long, { onprogress: (progress) => told.push(progress) });
  assert.equal(told.length, 1);
  const stop = new AbortController();
  const cancelled = call('fugue_wait', { ...long, timeout_ms: 60000 }, { signal: stop.signal });
  setTimeout(() => stop.abort('enough'), 200);
  await assert.rejects(cancelled);

  const screen = await client.readResource({ uri: `fugue://panes/${pane}` });
  assert(screen.contents[0].text.includes('from typescript'));
  await call('fugue_kill_session', { session });
  await client.close();
  console.log(JSON.stringify(mode), tools.length, 'tools');
}

for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) await talk(mode);
console.log('TYPESCRIPT OK');
process.exit(0);
