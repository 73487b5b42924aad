# Asks Weir whether an operation may be done now. A denied one waits for its slot.
require "json"
require "net/http"

NODE = ENV.fetch("WEIR_URL", "http://127.0.0.1:8081")
KEY = ENV.fetch("WEIR_KEY", "twenty.demo-secret-of-twenty")
TIMEOUT = Float(ENV.fetch("WEIR_TIMEOUT", "1")) # in seconds
# The decision while no node answers.
ALLOWED_WITHOUT_WEIR = ENV["WEIR_AWAY"] == "allow"

# Whether the operation may be done now, if need be after a wait of `patience` seconds in all.
def allowed?(operation, cost: 1, patience: 30.0)
  finish = now + patience
  ticket = true # asks for one
  loop do
    answer = ask(key: KEY, operation: operation, cost: cost, ticket: ticket)
    return ALLOWED_WITHOUT_WEIR if answer.nil?
    return answer["decision"] == "allowed" if answer["decision"] != "denied"

    wait = answer["retryAfterMs"] / 1000.0
    return false if now + wait > finish

    sleep(wait)
    ticket = answer.fetch("ticket", true) # keeps the slot
  end
end

# The answer; nil if no node could decide.
def ask(check)
  uri = URI("#{NODE}/v1/check")
  limits = { open_timeout: TIMEOUT, read_timeout: TIMEOUT, write_timeout: TIMEOUT, max_retries: 0 }
  response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https", **limits) do |http|
    http.post(uri.path, JSON.generate(check), "Content-Type" => "application/json")
  end
  return nil if response.code.to_i >= 500

  answer = JSON.parse(response.body)
  raise ArgumentError, "#{response.code}: #{answer["title"]}" if response.code != "200" # a mistake in the request

  answer
rescue SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError, JSON::ParserError
  nil
end

def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

puts allowed?(ARGV[0], cost: Integer(ARGV[1])) ? "allowed" : "denied"
