// Checks by the Redis protocol, all at once on one connection: the node needs --resp-port and a service token.
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { calls } from './calls.js'

const redis = new Redis(Number(process.env.WEIR_RESP_PORT ?? 6400), '127.0.0.1', {
  password: process.env.WEIR_SERVICE_TOKEN,
})

await calls('ioredis', async () => {
  let ticket = 'NEW'
  for (;;) {
    const fields = await redis.call('WEIR.CHECK', 'twenty', 'Get', 1, 'TICKET', ticket)
    const answer = Object.fromEntries(Array.from({ length: fields.length / 2 }, (_, i) => fields.slice(2 * i, 2 * i + 2)))
    if (answer.decision === 'allowed') return
    if (answer.decision === 'never') throw new Error(answer.reason)
    await sleep(Math.ceil(answer.wait_us / 1000) + 1) // a timer may end a millisecond early
    ticket = answer.ticket ?? ticket
  }
})
redis.disconnect()
