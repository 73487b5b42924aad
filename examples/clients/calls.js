// Many calls at once, and what became of them.
const count = Number(process.env.WEIR_CALLS ?? 200)

export async function calls(name, call) {
  const began = performance.now()
  const results = await Promise.allSettled(Array.from({ length: count }, call))
  const failed = results.filter((result) => result.status === 'rejected')
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${name}: ${count - failed.length} of ${count} calls succeeded in ${seconds} s`)
  if (failed.length > 0) {
    console.log(`  the first failure: ${failed[0].reason}`)
    process.exitCode = 1
  }
}

export const node = process.env.WEIR_URL ?? 'http://127.0.0.1:8081'
export const key = process.env.WEIR_KEY ?? 'twenty.demo-secret-of-twenty'
