/** Requests that wait as their answers say and are sent again, and checks, many in one request. */

const MOST_TOGETHER = 500
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])

/**
 * A `fetch` that sends requests again, with their tickets, so often in all. The last answer, or failure, is the caller's;
 * so is an answer that names a wait above `maxWait` milliseconds.
 */
export function retrying(base: typeof fetch = fetch, attempts = 5, maxWait = 60_000): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.headers.set('Prefer', 'retry-ticket')
    const isRepeatable = !['POST', 'PATCH'].includes(request.method) || request.headers.has('Idempotency-Key')
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= attempts
      let wait = Math.min(30_000, 50 * 1.5 ** (attempt - 1)) * (0.8 + 0.4 * Math.random())
      try {
        const answer = await base(isLast ? request : request.clone())
        wait = namedWait(answer.headers) || wait
        if (isLast || !mayRepeat(answer, isRepeatable) || wait > maxWait) return answer
        const ticket = answer.headers.get('Retry-Ticket')
        if (ticket !== null) request.headers.set('Retry-Ticket', ticket)
        await answer.body?.cancel()
      } catch (failure: any) {
        // Node.js names the failure of a connection; in a browser nothing tells whether a request was sent.
        if (isLast || !(isRepeatable || UNSENT.has(failure?.cause?.code))) throw failure
      }
      await pause(wait, request.signal)
    }
  }
}

export interface Check {
  key?: string
  /** With the service token. */
  subject?: string
  operation: string
  /** The operation's own if it is absent. */
  cost?: number
  /** Accepts a part of the cost, not less than this. */
  atLeast?: number
  /** True to get a ticket, or the ticket of an earlier denial. */
  ticket?: boolean | string
}

/** The answer to a check; with a `problem`, it could not be decided. */
export interface Decision {
  decision?: 'allowed' | 'denied' | 'never_allowed'
  retryAfterMs?: number
  /** Of a denial, if the check requested one. */
  ticket?: string
  /** The part of the cost that was taken, if the check has `atLeast` and is allowed. */
  granted?: number
  /** The node decided without Redis. */
  degraded?: boolean
  full?: string[]
  reason?: string
  problem?: Problem
}

export interface Problem {
  status: number
  code: string
  title: string
}

/** A request of checks that was refused, or not answered. */
export class CheckError extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.title}`)
  }
}

/** The decisions on checks, in their order. The service token vouches for a subject. */
export async function checkAll(node: string, checks: Check[], send = retrying(), token?: string): Promise<Decision[]> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (token !== undefined) headers['Authorization'] = `Bearer ${token}`
  const decisions: Decision[] = []
  for (let begin = 0; begin < checks.length; begin += MOST_TOGETHER) {
    const body = JSON.stringify({ checks: checks.slice(begin, begin + MOST_TOGETHER) })
    const answer = await send(`${node}/v1/check`, { method: 'POST', headers, body })
    const content: any = await answer.json()
    if (!answer.ok) throw new CheckError(content)
    decisions.push(...content.decisions)
  }
  return decisions
}

function mayRepeat({ status, headers }: Response, isRepeatable: boolean): boolean {
  const isUndone = status === 429 || (status === 503 && headers.get('Proxy-Status')?.startsWith('weir;'))
  return isUndone || (isRepeatable && (status === 408 || (status >= 500 && status !== 501 && status !== 505)))
}

// In milliseconds, 0 without one. The finer header counts if both name the same wait, else the standard one.
function namedWait(headers: Headers): number {
  const exact = Number(headers.get('Retry-After-Ms'))
  const text = headers.get('Retry-After') ?? ''
  const whole = (Number.isNaN(Number(text)) ? Date.parse(text) - Date.now() : Number(text) * 1000) || 0
  return exact > 0 && (whole <= 0 || whole === Math.ceil(exact / 1000) * 1000) ? exact : Math.max(0, whole)
}

async function pause(millis: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.ceil(millis) + 1) // may end a millisecond early
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
