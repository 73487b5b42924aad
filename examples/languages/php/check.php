<?php
// Asks Weir whether an operation may be done now. A denied one waits for its slot.
declare(strict_types=1);

define('NODE', getenv('WEIR_URL') ?: 'http://127.0.0.1:8081');
define('KEY', getenv('WEIR_KEY') ?: 'twenty.demo-secret-of-twenty');
define('TIMEOUT', (float) (getenv('WEIR_TIMEOUT') ?: 1)); // in seconds
// The decision while no node answers.
define('ALLOWED_WITHOUT_WEIR', getenv('WEIR_AWAY') === 'allow');

/** Whether the operation may be done now, if need be after a wait of $patience seconds in all. */
function is_allowed(string $operation, int $cost = 1, float $patience = 30.0): bool
{
    $end = microtime(true) + $patience;
    $ticket = true; // asks for one
    for (;;) {
        $answer = ask(['key' => KEY, 'operation' => $operation, 'cost' => $cost, 'ticket' => $ticket]);
        if ($answer === null) {
            return ALLOWED_WITHOUT_WEIR;
        }
        if ($answer['decision'] !== 'denied') {
            return $answer['decision'] === 'allowed';
        }
        $wait = $answer['retryAfterMs'];
        if (microtime(true) + $wait / 1000 > $end) {
            return false;
        }
        usleep($wait * 1000);
        $ticket = $answer['ticket'] ?? true; // keeps the slot
    }
}

/** The answer; null if no node could decide. */
function ask(array $check): ?array
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => 'Content-Type: application/json',
        'content' => json_encode($check),
        'timeout' => TIMEOUT,
        'ignore_errors' => true, // an answer of 400 and above is one, too
    ]]);
    $body = @file_get_contents(NODE . '/v1/check', false, $context);
    $status = (int) explode(' ', $http_response_header[0] ?? 'none 0')[1];
    $answer = $body === false ? null : json_decode($body, true);
    if ($status >= 500 || !is_array($answer)) {
        return null;
    }
    if ($status !== 200) {
        throw new RuntimeException("$status: {$answer['title']}"); // a mistake in the request
    }
    return $answer;
}

echo is_allowed($argv[1], (int) $argv[2]) ? 'allowed' : 'denied', PHP_EOL;
