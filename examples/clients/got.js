import got from 'got'
import { calls, key, node } from './calls.js'

const client = got.extend({ prefixUrl: node, headers: { 'X-Api-Key': key } })
await calls('got', () => client.get('items').json())
