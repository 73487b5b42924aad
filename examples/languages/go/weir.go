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

// Transport waits as answers say, and sends requests again with their tickets: http.Client{Transport: &weir.Transport{}}.
// The last answer, or failure, is the caller's; so is one that names a wait above MaxWait. A request whose body cannot be
// read again (http.Request.GetBody) is sent once.
type Transport struct {
	Base     http.RoundTripper // http.DefaultTransport, if it is nil
	Attempts int               // 5, if it is 0
	MaxWait  time.Duration     // a minute, if it is 0
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	base, attempts, maxWait := t.Base, t.Attempts, t.MaxWait
	if base == nil {
		base = http.DefaultTransport
	}
	if attempts == 0 {
		attempts = 5
	}
	if maxWait == 0 {
		maxWait = time.Minute
	}
	if request.Body != nil && request.Body != http.NoBody && request.GetBody == nil {
		attempts = 1
	}
	ticket := ""
	for attempt := 1; ; attempt++ {
		sent, err := next(request, attempt, ticket)
		if err != nil {
			return nil, err
		}
		answer, err := base.RoundTrip(sent)
		wait := backoff(attempt)
		if err == nil {
			if named := namedWait(answer.Header); named > 0 {
				wait = named
			}
		}
		if attempt >= attempts || !mayRepeat(request, answer, err) || wait > maxWait {
			return answer, err
		}
		if err == nil {
			if made := answer.Header.Get("Retry-Ticket"); made != "" {
				ticket = made
			}
			io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16))
			answer.Body.Close()
		}
		select {
		case <-time.After(wait):
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
}

func next(request *http.Request, attempt int, ticket string) (*http.Request, error) {
	sent := request.Clone(request.Context())
	sent.Header.Set("Prefer", "retry-ticket")
	if ticket != "" {
		sent.Header.Set("Retry-Ticket", ticket)
	}
	if attempt > 1 && request.GetBody != nil {
		body, err := request.GetBody()
		if err != nil {
			return nil, err
		}
		sent.Body = body
	}
	return sent, nil
}

func mayRepeat(request *http.Request, answer *http.Response, err error) bool {
	isRepeatable := request.Header.Get("Idempotency-Key") != "" ||
		request.Method != http.MethodPost && request.Method != http.MethodPatch
	if err != nil {
		var failed *net.OpError
		isUnsent := errors.As(err, &failed) && failed.Op == "dial"
		return request.Context().Err() == nil && (isRepeatable || isUnsent)
	}
	switch status := answer.StatusCode; {
	case status == http.StatusTooManyRequests:
		return true
	case status == http.StatusServiceUnavailable && strings.HasPrefix(answer.Header.Get("Proxy-Status"), "weir;"):
		return true
	case status == http.StatusNotImplemented || status == http.StatusHTTPVersionNotSupported:
		return false
	default:
		return isRepeatable && (status == http.StatusRequestTimeout || status >= 500)
	}
}

// The finer header counts if both name the same wait, else the standard one.
func namedWait(headers http.Header) time.Duration {
	exact, _ := strconv.ParseFloat(headers.Get("Retry-After-Ms"), 64)
	whole, err := strconv.ParseFloat(headers.Get("Retry-After"), 64)
	if date, failed := http.ParseTime(headers.Get("Retry-After")); err != nil && failed == nil {
		whole = time.Until(date).Seconds()
	}
	if exact > 0 && (whole <= 0 || whole == math.Ceil(exact/1000)) {
		return bounded(exact * float64(time.Millisecond))
	}
	return bounded(whole * float64(time.Second))
}

func bounded(nanos float64) time.Duration {
	return time.Duration(math.Max(0, math.Min(nanos, math.MaxInt64/2)))
}

func backoff(attempt int) time.Duration {
	seconds := math.Min(30, 0.05*math.Pow(1.5, float64(attempt-1)))
	return time.Duration(seconds * (0.8 + 0.4*rand.Float64()) * float64(time.Second))
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
	Decision     string   `json:"decision"`
	RetryAfterMs int64    `json:"retryAfterMs"`
	Ticket       string   `json:"ticket"`
	Granted      int64    `json:"granted"`
	Degraded     bool     `json:"degraded"`
	Full         []string `json:"full"`
	Reason       string   `json:"reason"`
	Problem      *Problem `json:"problem"`
}

// Problem says why a request, or a check of it, was not decided.
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Title  string `json:"title"`
}

// Error implements error.
func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Title) }

// CheckAll returns the decisions on checks, in their order. The service token vouches for a Subject; it may be empty.
func CheckAll(ctx context.Context, client *http.Client, node, token string, checks []Check) ([]Decision, error) {
	var decisions []Decision
	for begin := 0; begin < len(checks); begin += mostTogether {
		end := begin + mostTogether
		if end > len(checks) {
			end = len(checks)
		}
		some, err := checkSome(ctx, client, node, token, checks[begin:end])
		if err != nil {
			return nil, err
		}
		decisions = append(decisions, some...)
	}
	return decisions, nil
}

func checkSome(ctx context.Context, client *http.Client, node, token string, checks []Check) ([]Decision, error) {
	body, err := json.Marshal(map[string]any{"checks": checks})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, node+"/v1/check", bytes.NewReader(body))
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
	if response.StatusCode != http.StatusOK {
		problem := &Problem{Status: response.StatusCode}
		json.NewDecoder(response.Body).Decode(problem) // without one, the status says enough
		return nil, problem
	}
	var answer struct{ Decisions []Decision }
	err = json.NewDecoder(response.Body).Decode(&answer)
	return answer.Decisions, err
}
