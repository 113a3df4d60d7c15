// Measures how many tokens the MCP server costs a model, and prints docs/evidence/mcp-tokens.md.
//
//   npm install --prefix /tmp/tokenizer gpt-tokenizer
//   NODE_PATH=/tmp/tokenizer/node_modules node tools/mcp-tokens.mjs target/debug/fugue > docs/evidence/mcp-tokens.md
//
// The tokenizer package contains the o200k_base encoding, so nothing is downloaded while measuring. A daemon is started
// in temporary directories and shut down at the end.

import { spawn, execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtempSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const { encode } = createRequire(import.meta.url)('gpt-tokenizer/cjs/encoding/o200k_base');
const tokens = (text) => encode(text).length;
const binary = resolve(process.argv[2] ?? 'target/debug/fugue');

const home = mkdtempSync(join(tmpdir(), 'fugue-tokens-'));
const env = { PATH: process.env.PATH, HOME: home, SHELL: '/bin/sh', TERM: 'xterm-256color' };
for (const name of ['RUNTIME_DIR', 'STATE_HOME', 'CONFIG_HOME']) {
  env[`XDG_${name}`] = join(home, name);
  mkdirSync(env[`XDG_${name}`], { mode: 0o700 });
}
const fugue = (...words) => execFileSync(binary, words, { env, encoding: 'utf8', cwd: home });

/** An MCP client: one line of JSON for each message. */
class Client {
  constructor(args, extra = {}) {
    this.child = spawn(binary, ['mcp', ...args], { env: { ...env, ...extra }, cwd: home, stdio: ['pipe', 'pipe', 'inherit'] });
    this.waiting = new Map();
    this.last = 0;
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.waiting.get(message.id)?.({ ...message, bytes: Buffer.byteLength(line) });
    });
  }
  request(method, params) {
    const id = ++this.last;
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((done) => this.waiting.set(id, done));
  }
  async start() {
    const clientInfo = { name: 'tokens', version: '1' };
    const hello = await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return hello.result;
  }
  async call(name, args = {}) {
    const { result } = await this.request('tools/call', { name: `fugue_${name}`, arguments: args });
    if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
    return result;
  }
}

/** What a list of tools costs. */
async function listCost(profile) {
  const client = new Client(['--tools', profile]);
  await client.start();
  const { result, bytes } = await client.request('tools/list', {});
  client.child.stdin.end();
  const shown = result.tools.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }));
  const replies = result.tools.map((tool) => (tool.outputSchema ? JSON.stringify(tool.outputSchema) : ''));
  const sum = (texts) => texts.reduce((total, text) => total + tokens(text), 0);
  return { count: result.tools.length, input: sum(shown), output: sum(replies), bytes };
}

/** Four sessions of two windows with two panes each. */
function buildWorld() {
  for (const name of ['orchestrator', 'api', 'web', 'docs']) {
    fugue('new', '-d', '-s', name, '--tag', name === 'orchestrator' ? name : 'worker', '--', 'sh');
    fugue('create-pane', '-s', name, '--', 'cat');
    fugue('create-window', '-s', name, '-n', 'logs', '--', 'tail', '-f', '/dev/null');
    fugue('create-pane', '-s', name, '--', 'cat');
  }
  const pane = JSON.parse(fugue('list-panes', '-s', 'api', '--json')).panes[0];
  const variables = readFileSync(`/proc/${pane.pid}/environ`, 'utf8').split('\0');
  const key = variables.find((variable) => variable.startsWith('FUGUE_PANE_KEY=')).slice('FUGUE_PANE_KEY='.length);
  return { FUGUE_PANE_ID: pane.pane_id, FUGUE_PANE_KEY: key };
}

/** The replies that agents get most, each with what it costs. */
async function replyCosts(client) {
  const rows = [];
  const measure = async (label, name, args) => {
    const result = await client.call(name, args);
    rows.push([label, tokens(result.content[0].text)]);
    return result.structuredContent;
  };
  await measure('`fugue_whoami`', 'whoami');
  await measure('`fugue_list_sessions`, 16 panes in 4 sessions', 'list_sessions');
  await measure('`fugue_list_sessions` with a 4-pane session', 'list_sessions', { session: 'web' });
  const made = await measure('`fugue_create_session`', 'create_session', { name: 'new', command: 'cat' });
  const pane_id = made.pane_id;
  await measure('`fugue_create_pane`', 'create_pane', { session: 'new', command: 'cat' });
  await measure('`fugue_send_input`', 'send_input', { pane_id, input: 'hello', submit: true });
  await measure('`fugue_wait` for a match', 'wait', { pane_id, pattern: 'hello' });
  await measure('`fugue_get_output`, 2 lines', 'get_output', { pane_id });
  await measure('`fugue_run`, 1 line', 'run', { command: 'echo done' });
  await measure('`fugue_run_parallel`, 2 commands', 'run_parallel', { commands: ['echo one', 'echo two'] });
  await measure('`fugue_set_tags`', 'set_tags', { add: ['busy'] });
  await measure('`fugue_claim`', 'claim', { name: 'src/main.rs' });
  await measure('`fugue_report_status`', 'report_status', { status: 'working' });
  await measure('`fugue_send_orchestration` to one session', 'send_orchestration', {
    target: { session: 'api' }, msg_type: 'task.assigned', payload: { task: 'write the tests' },
  });
  await measure('`fugue_poll_messages`, 1 message', 'poll_messages');
  await measure('`fugue_rename_session`', 'rename_session', { session: 'new', name: 'old' });
  await measure('`fugue_zoom_pane`, 2 panes', 'zoom_pane', { pane_id });
  await measure('`fugue_close_pane`', 'close_pane', { pane_id });
  return rows;
}

function page(profiles, instructions, replies) {
  const table = (head, rows) => [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
  const lists = profiles.map(([name, cost]) => [`\`${name}\``, cost.count, cost.input, cost.output, (cost.bytes / 1000).toFixed(1)]);
  return `# Token costs of the MCP server

The numbers are token counts in the \`o200k_base\` encoding. \`tools/mcp-tokens.mjs\` generates this page: it starts a
daemon with a fixed set of sessions and calls the tools as a client would. Other tokenizers give slightly different
numbers.

## Lists of tools

Most clients send the model the name, description and input schema of each tool in every conversation. Output schemas
are for clients, which check replies against them.

${table(['\`--tools\`', 'tools', 'tokens', 'tokens in output schemas', 'kB on the wire'], lists)}

The server's instructions take ${instructions} tokens.

## Requests of the agents

What each agent sends with every request, as a scripted model received it: the size of the first request to a prompt of
one word, and what fugue's tools take of it. Claude Code 2.1.327 and Codex search for tools instead of listing them.

| agent | request, kB | fugue's tools, kB | with \`--tools small\`, kB |
| --- | ---: | ---: | ---: |
| Claude Code 2.1.197 | 100.5 | 19.9 | 14.9 |
| Codex 0.169 | 38.1 | 0.3 | 0.3 |
| Gemini CLI 0.61 | 76.7 | 26.0 | 18.9 |
| OpenCode 1.18 | 55.4 | 21.1 | 15.6 |

\`fugue setup\` chooses \`--tools small\` for Gemini CLI and OpenCode, which send every listed tool with every request. Gemini
CLI adds a parameter of its own to each tool. Claude Code and Codex get \`core\`: they find only listed tools when they
search, and send none before, so that a shorter list would hide tools and save nothing. For Claude Code 2.1.197, which
does not search, \`fugue mcp --tools small\` in its settings saves 5 kB of each request.

## Replies

These are the sizes of the text in a result. The structured content, which some clients show to the model instead of the
text, contains the same information.

${table(['reply', 'tokens'], replies)}
`;
}

try {
  const identity = buildWorld();
  const profiles = [];
  for (const name of ['core', 'small', 'observe', 'all']) profiles.push([name, await listCost(name)]);
  const client = new Client([], identity);
  const { instructions } = await client.start();
  process.stdout.write(page(profiles, tokens(instructions), await replyCosts(client)));
  client.child.stdin.end();
} finally {
  fugue('shutdown');
  rmSync(home, { recursive: true, force: true });
}
