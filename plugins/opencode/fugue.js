// fugue's plugin for OpenCode. `fugue setup opencode` writes it, and `fugue setup opencode --undo` removes it.
//
// In a pane of fugue, it starts `fugue hook opencode`, tells it what OpenCode is doing, and submits the lines that come
// back: notifications of messages from other agents. Elsewhere, it does nothing.

import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

const FUGUE = "fugue"

// After the link has ended, for example because the daemon was shut down, it is not started again for this long.
const RESTART_MS = 10_000

// A server that several terminals share cannot tell in which pane its user is.
const SHARED = ["serve", "web", "acp"]

const sessions = new Map() // { client, parent, status, outcome, prompt, usage } by id
const asks = new Map() // open permissions and questions by id: { session, state, reason, command }
let current // the session that the user prompted last
let notification // the line that was submitted: { text, message }
let link
let linked = 0
let reported

function known(id, client) {
  const session = sessions.get(id) ?? { client, status: { type: "idle" } }
  sessions.set(id, session)
  return session
}

// What a session has used so far: the tokens of its last answer, and the cost that OpenCode keeps with the session.
function count(id, client, usage) {
  const session = known(id, client)
  session.usage = { ...session.usage, ...usage }
}

function context({ input, output, reasoning, cache }) {
  return input + output + reasoning + cache.read + cache.write
}

async function readCost(id, client) {
  const answer = await client.session.get({ path: { id } }).catch(() => ({}))
  const cost = answer.data?.cost
  if (typeof cost !== "number") return
  count(id, client, { cost_micros: Math.round(cost * 1e6) })
  report()
}

// What OpenCode is doing. Nothing is said before the first turn: the terminal may not be ready yet.
function state() {
  const asked = [...asks.values()]
  const ask = asked.find((one) => one.state === "blocked") ?? asked[0]
  // A rule may answer a command only if nothing else is asked.
  const command = asked.length === 1 ? ask?.command : undefined
  if (ask) return { state: ask.state, reason: ask.reason, command }
  const busy = [...sessions.values()].find((session) => session.status.type !== "idle")
  if (busy) return { state: "working", reason: busy.status.message, until: busy.status.next }
  return sessions.get(current)?.outcome
}

function report() {
  const usage = sessions.get(current)?.usage
  const told = state()
  const line = JSON.stringify({ report: told && { ...told, usage }, session: current })
  if (line === "{}" || (line === reported && link)) return
  reported = line
  send(line)
}

function send(line) {
  if (!link) connect()
  link?.stdin.write(line + "\n")
}

function connect() {
  if (Date.now() - linked < RESTART_MS) return
  linked = Date.now()
  const child = spawn(FUGUE, ["hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
  const end = () => {
    if (link === child) link = notification = undefined
  }
  child.on("error", end)
  child.on("exit", end)
  child.stdin.on("error", end)
  createInterface({ input: child.stdout }).on("line", (line) => submit(line))
  link = child
}

function read(line) {
  try {
    return JSON.parse(line)?.text
  } catch {}
}

// Submits a line to the current session, in the mode and with the model of its last prompt.
async function submit(line) {
  const text = read(line)
  // An error message, for example, is not a line to submit.
  if (typeof text !== "string") return
  const session = sessions.get(current)
  // Without a session, for example because the user deleted it, there is nobody to tell. The line comes again later.
  if (!session) return settle(false)
  const submitted = (notification = { text, session: current })
  const body = { ...session.prompt, parts: [{ type: "text", text }] }
  const answer = await session.client.session.promptAsync({ path: { id: current }, body }).catch((error) => ({ error }))
  if (answer.error && notification === submitted) settle(false)
}

function settle(taken) {
  notification = undefined
  send(JSON.stringify({ taken }))
}

function failure(error) {
  if (error?.name === "MessageAbortedError") return { state: "idle" }
  return { state: "error", reason: error?.data?.message ?? error?.name }
}

function permission({ permission, patterns, metadata }) {
  return `${permission}: ${metadata?.command ?? metadata?.filepath ?? (patterns ?? []).join(", ")}`
}

const handlers = {
  "session.created": (p, client) => (known(p.info.id, client).parent = p.info.parentID),
  "session.updated": (p, client) => (known(p.info.id, client).parent = p.info.parentID),
  "session.deleted": (p) => forget(p.info.id),
  "session.status": (p, client) => {
    const session = known(p.sessionID, client)
    if (p.status.type === "idle") {
      if (session.status.type !== "idle") session.outcome ??= { state: "complete" }
      readCost(p.sessionID, client)
      dismiss(p.sessionID)
    } else if (session.status.type === "idle") session.outcome = undefined
    session.status = p.status
  },
  "session.error": (p, client) => (known(p.sessionID ?? current, client).outcome = failure(p.error)),
  "permission.asked": (p) => {
    const command = p.permission === "bash" ? p.metadata?.command : undefined
    asks.set(p.id, { session: p.sessionID, state: "blocked", reason: permission(p), command })
  },
  "permission.replied": (p) => asks.delete(p.requestID),
  "question.asked": (p) => {
    const reason = p.questions?.map((one) => one.question).join(" · ")
    asks.set(p.id, { session: p.sessionID, state: "waiting_for_input", reason })
  },
  "question.replied": (p) => asks.delete(p.requestID),
  "question.rejected": (p) => asks.delete(p.requestID),
  "message.updated": ({ info }, client) => {
    if (info.role === "assistant" && info.tokens?.output > 0) {
      count(info.sessionID, client, { context_tokens: context(info.tokens) })
    }
    // The model answers a prompt: it has read it.
    if (info.role === "assistant" && notification?.message && info.parentID === notification.message) settle(true)
  },
}

function dismiss(id) {
  for (const [key, ask] of asks) if (ask.session === id) asks.delete(key)
}

function forget(id) {
  sessions.delete(id)
  dismiss(id)
  if (current === id) current = undefined
  if (notification?.session === id) settle(false)
}

export const FuguePlugin = async ({ client }) => {
  if (!process.env.FUGUE_PANE_ID || SHARED.includes(process.argv[2])) return {}
  return {
    event: async ({ event }) => {
      const handle = handlers[event.type]
      if (!handle) return
      handle(event.properties, client)
      report()
    },
    "chat.message": async ({ sessionID, agent, model }, { message, parts }) => {
      const session = known(sessionID, client)
      // Subagents have sessions of their own.
      if (session.parent) return
      if (agent) session.prompt = { agent, model }
      current = sessionID
      if (notification && parts.some((part) => part.text === notification.text)) notification.message = message.id
      report()
    },
    dispose: async () => link?.stdin.end(),
  }
}
