// Checks and calls through the client, and one check through the generated API.
import { checkAll, retrying } from './dist/weir.js'
import { ChecksApi, Configuration } from './dist/api/index.js'

const node = process.env.WEIR_NODE
const key = process.env.WEIR_KEY
const send = retrying()

const decisions = await checkAll(node, Array(7).fill({ key, operation: 'Slow' }))
const count = (decision) => decisions.filter((one) => one.decision === decision).length
console.log(`checks: ${count('allowed')} allowed, ${count('denied')} denied`)

const answers = await Promise.all(
  Array.from({ length: 30 }, () => send(`${node}/get`, { headers: { 'X-Api-Key': key } })),
)
console.log(`calls: ${answers.filter((answer) => answer.status === 200).length} of 30`)

const api = new ChecksApi(new Configuration({ basePath: node, fetchApi: send }))
const { decision } = await api.check({ checkRequest: { key, operation: 'Slow' } })
console.log(`api: ${decision}`)
