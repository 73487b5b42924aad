// Package weir sends requests again when their answers say when, and asks for checks, many in one request.
package weir

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const mostTogether = 500

// Transport waits as answers say, and sends requests again with their tickets: http.Client{Transport: weir.Default}. The
// last answer, or failure, is the caller's; so is one that names a wait above MaxWait. A request whose body cannot be read
// again (http.Request.GetBody) is sent once.
type Transport struct {
	Base     http.RoundTripper
	Attempts int
	MaxWait  time.Duration
}

// Default is a Transport for most callers, to use or to copy.
var Default = Transport{Base: http.DefaultTransport, Attempts: 5, MaxWait: time.Minute}

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	ticket := request.Header["Retry-Ticket"]
	for attempt := 1; ; attempt++ {
		sent := request.Clone(request.Context())
		sent.Header.Set("Prefer", "retry-ticket")
		sent.Header["Retry-Ticket"] = ticket
		if attempt > 1 && request.GetBody != nil {
			body, err := request.GetBody()
			if err != nil {
				return nil, err
			}
			sent.Body = body
		}
		answer, err := t.Base.RoundTrip(sent)
		wait := waitOf(answer, attempt)
		if attempt >= t.Attempts || wait > t.MaxWait || !mayRepeat(request, answer, err) {
			return answer, err
		}
		if err == nil {
			if made := answer.Header["Retry-Ticket"]; made != nil {
				ticket = made
			}
			io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16)) // keeps the connection
			answer.Body.Close()
		}
		select {
		case <-time.After(wait):
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
}

func mayRepeat(request *http.Request, answer *http.Response, err error) bool {
	hasBody := request.Body != nil && request.Body != http.NoBody
	if hasBody && request.GetBody == nil || request.Context().Err() != nil {
		return false
	}
	isRepeatable := request.Header.Get("Idempotency-Key") != "" || request.Method != "POST" && request.Method != "PATCH"
	if err != nil {
		var failed *net.OpError
		return isRepeatable || errors.As(err, &failed) && failed.Op == "dial"
	}
	status := answer.StatusCode
	isUndone := status == 429 || status == 503 && strings.HasPrefix(answer.Header.Get("Proxy-Status"), "weir;")
	isPassing := status == 408 || status >= 500 && status != 501 && status != 505
	return isUndone || isRepeatable && isPassing
}

// The wait that the answer names, else one that grows. The finer header counts if both name the same wait, else the
// standard one.
func waitOf(answer *http.Response, attempt int) time.Duration {
	millis := math.Min(30_000, 50*math.Pow(1.5, float64(attempt-1))) * (0.8 + 0.4*rand.Float64())
	if answer != nil {
		exact, _ := strconv.ParseFloat(answer.Header.Get("Retry-After-Ms"), 64)
		whole, _ := strconv.ParseFloat(answer.Header.Get("Retry-After"), 64)
		if date, err := http.ParseTime(answer.Header.Get("Retry-After")); err == nil {
			whole = time.Until(date).Seconds()
		}
		if whole > 0 && whole != math.Ceil(exact/1000) {
			millis = whole * 1000
		} else if exact > 0 {
			millis = exact
		}
	}
	return time.Duration(math.Min(millis, 1e12) * float64(time.Millisecond))
}

// Check asks whether an operation may be done. Cost 0 is the operation's own. With AtLeast, a part of the cost is
// accepted, not less than this. Ticket is true to get a ticket, or the ticket of an earlier denial.
type Check struct {
	Key       string `json:"key,omitempty"`
	Subject   string `json:"subject,omitempty"`
	Operation string `json:"operation"`
	Cost      int64  `json:"cost,omitempty"`
	AtLeast   int64  `json:"atLeast,omitempty"`
	Ticket    any    `json:"ticket,omitempty"`
}

// Decision is the answer to a check: allowed, denied or never_allowed; with a Problem, the check could not be decided.
// Granted is the part of the cost that was taken, 0 without AtLeast. Degraded decisions were made without Redis.
type Decision struct {
	Decision, Ticket, Reason string
	RetryAfterMs, Granted    int64
	Degraded                 bool
	Full                     []string
	Problem                  *Problem
}

// Problem says why a request, or a check of it, was not decided.
type Problem struct {
	Status      int
	Code, Title string
}

// Error implements error.
func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Title) }

// CheckAll returns the decisions on checks, in their order. The service token vouches for a Subject; it may be empty.
func CheckAll(ctx context.Context, client *http.Client, node, token string, checks []Check) ([]Decision, error) {
	if len(checks) == 0 {
		return nil, nil
	}
	if len(checks) > mostTogether {
		first, err := CheckAll(ctx, client, node, token, checks[:mostTogether])
		if err != nil {
			return nil, err
		}
		others, err := CheckAll(ctx, client, node, token, checks[mostTogether:])
		return append(first, others...), err
	}
	body, err := json.Marshal(map[string]any{"checks": checks})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, "POST", node+"/v1/check", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Decisions []Decision
		Problem
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	if response.StatusCode != http.StatusOK {
		answer.Status = response.StatusCode // says enough without a problem
		return nil, &answer.Problem
	}
	return answer.Decisions, err
}
