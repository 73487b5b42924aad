// Asks Weir whether an operation may be done now. A denied one waits for its slot.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"
)

var (
	node       = setting("WEIR_URL", "http://127.0.0.1:8081")
	key        = setting("WEIR_KEY", "twenty.demo-secret-of-twenty")
	timeout, _ = time.ParseDuration(setting("WEIR_TIMEOUT", "1") + "s")
	// The decision while no node answers.
	allowedWithoutWeir = setting("WEIR_AWAY", "deny") == "allow"

	client = http.Client{Timeout: timeout}
)

type answer struct {
	Decision     string
	RetryAfterMs int64
	Ticket       string
	Title        string // of a refusal
}

// isAllowed tells whether the operation may be done now, if need be after a wait of this patience in all.
func isAllowed(operation string, cost int64, patience time.Duration) (bool, error) {
	end := time.Now().Add(patience)
	var ticket any = true // asks for one
	for {
		status, answer, err := ask(map[string]any{"key": key, "operation": operation, "cost": cost, "ticket": ticket})
		if err != nil || status >= 500 {
			return allowedWithoutWeir, nil
		}
		if status != http.StatusOK { // a mistake in the request
			return false, fmt.Errorf("%d: %s", status, answer.Title)
		}
		if answer.Decision != "denied" {
			return answer.Decision == "allowed", nil
		}
		wait := time.Duration(answer.RetryAfterMs) * time.Millisecond
		if time.Now().Add(wait).After(end) {
			return false, nil
		}
		time.Sleep(wait)
		if answer.Ticket != "" {
			ticket = answer.Ticket // keeps the slot
		}
	}
}

func ask(check map[string]any) (status int, got answer, err error) {
	body, err := json.Marshal(check)
	if err != nil {
		return 0, got, err
	}
	response, err := client.Post(node+"/v1/check", "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, got, err
	}
	defer response.Body.Close()
	err = json.NewDecoder(response.Body).Decode(&got)
	return response.StatusCode, got, err
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	cost, err := strconv.ParseInt(os.Args[2], 10, 64)
	if err != nil {
		panic(err)
	}
	allowed, err := isAllowed(os.Args[1], cost, 30*time.Second)
	if err != nil {
		panic(err)
	}
	fmt.Println(map[bool]string{true: "allowed", false: "denied"}[allowed])
}
