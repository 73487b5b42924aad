// Checks and calls through the client, and one check through the generated API.
import { checkAll, retrying, type Check } from './weir.js'
import { ChecksApi, Configuration } from './api/index.js'

declare const process: { env: Record<string, string> }

const node = process.env.WEIR_URL
const key = process.env.WEIR_KEY
const send = retrying()

const decisions = await checkAll(node, Array<Check>(7).fill({ key, operation: 'Slow' }))
const count = (decision: string) => decisions.filter((one) => one.decision === decision).length
console.log(`checks: ${count('allowed')} allowed, ${count('denied')} denied`)

const some: Check = { key, operation: 'Some', cost: 4, atLeast: 1, ticket: true }
let text = 'granted:'
let last: string | undefined
for (let i = 0; i < 4; i++) {
  const { granted = 0, degraded = false, ticket } = (await checkAll(node, [some]))[0]
  text += ` ${granted} ${degraded} ${ticket !== undefined && ticket === last}`
  last = ticket
  some.ticket = ticket ?? true
}
console.log(text)

const answers = await Promise.all(
  Array.from({ length: 30 }, () => send(`${node}/get`, { headers: { 'X-Api-Key': key } })),
)
console.log(`calls: ${answers.filter((answer) => answer.status === 200).length} of 30`)

const api = new ChecksApi(new Configuration({ basePath: node, fetchApi: send }))
const answer = await api.check({ checkRequest: { key, operation: 'Slow' } })
console.log(`api: ${'decision' in answer ? answer.decision : 'none'}`)
