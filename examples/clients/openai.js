import OpenAI from 'openai'
import { calls, key, node } from './calls.js'

const client = new OpenAI({ baseURL: `${node}/v1`, apiKey: key })
await calls('openai', () =>
  client.chat.completions.create({ model: 'any', messages: [{ role: 'user', content: 'hello' }] }),
)
