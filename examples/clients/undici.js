import { Agent, RetryAgent, request } from 'undici'
import { calls, key, node } from './calls.js'

const dispatcher = new RetryAgent(new Agent())
await calls('undici RetryAgent', async () => {
  const { statusCode, body } = await request(`${node}/items`, {
    dispatcher,
    headers: { 'X-Api-Key': key },
  })
  await body.dump()
  if (statusCode !== 200) throw new Error(`status ${statusCode}`)
})
