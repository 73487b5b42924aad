// Asks Weir whether an operation may be done now. A denied one waits for its slot.
import { setTimeout as sleep } from 'node:timers/promises'

const node = process.env.WEIR_URL ?? 'http://127.0.0.1:8081'
const key = process.env.WEIR_KEY ?? 'twenty.demo-secret-of-twenty'
const timeout = Number(process.env.WEIR_TIMEOUT ?? 1) * 1000
// The decision while no node answers.
const allowedWithoutWeir = process.env.WEIR_AWAY === 'allow'

/** Whether the operation may be done now, if need be after a wait of `patience` milliseconds in all. */
export async function isAllowed(operation, cost = 1, patience = 30_000) {
  const end = performance.now() + patience
  let ticket = true // asks for one
  for (;;) {
    const answer = await ask({ key, operation, cost, ticket })
    if (answer === undefined) return allowedWithoutWeir
    if (answer.decision !== 'denied') return answer.decision === 'allowed'
    if (performance.now() + answer.retryAfterMs > end) return false
    await sleep(answer.retryAfterMs + 1) // a timer may end a millisecond early
    ticket = answer.ticket ?? true // keeps the slot
  }
}

/** The answer; undefined if no node could decide. */
async function ask(check) {
  let response, answer
  try {
    response = await fetch(`${node}/v1/check`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(check),
      signal: AbortSignal.timeout(timeout),
    })
    answer = await response.json()
  } catch {
    return undefined
  }
  if (response.status >= 500) return undefined
  if (!response.ok) throw new Error(`${response.status}: ${answer.title}`) // a mistake in the request
  return answer
}

console.log((await isAllowed(process.argv[2], Number(process.argv[3]))) ? 'allowed' : 'denied')
