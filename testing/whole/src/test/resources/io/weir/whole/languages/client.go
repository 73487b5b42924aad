// Checks and calls through the client, and one check through the generated API.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	weir "weir.io/client"
	"weir.io/client/api"
)

func main() {
	node, key := os.Getenv("WEIR_URL"), os.Getenv("WEIR_KEY")
	client := &http.Client{Transport: weir.Default}

	checks := make([]weir.Check, 7)
	for i := range checks {
		checks[i] = weir.Check{Key: key, Operation: "Slow"}
	}
	decisions, err := weir.CheckAll(context.Background(), client, node, "", checks)
	failed(err)
	counts := map[string]int{}
	for _, decision := range decisions {
		counts[decision.Decision]++
	}
	fmt.Printf("checks: %d allowed, %d denied\n", counts["allowed"], counts["denied"])

	some := weir.Check{Key: key, Operation: "Some", Cost: 4, AtLeast: 1, Ticket: true}
	var last weir.Decision
	fmt.Print("granted:")
	for i := 0; i < 4; i++ {
		decisions, err = weir.CheckAll(context.Background(), client, node, "", []weir.Check{some})
		failed(err)
		isKept := last.Ticket != "" && decisions[0].Ticket == last.Ticket
		last = decisions[0]
		if last.Ticket != "" {
			some.Ticket = last.Ticket
		}
		fmt.Print(" ", last.Granted, " ", last.Degraded, " ", isKept)
	}
	fmt.Println()

	var calls sync.WaitGroup
	var succeeded atomic.Int32
	for i := 0; i < 30; i++ {
		calls.Add(1)
		go func() {
			defer calls.Done()
			request, err := http.NewRequest(http.MethodGet, node+"/get", nil)
			failed(err)
			request.Header.Set("X-Api-Key", key)
			answer, err := client.Do(request)
			failed(err)
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				succeeded.Add(1)
			}
		}()
	}
	calls.Wait()
	fmt.Printf("calls: %d of 30\n", succeeded.Load())

	configuration := api.NewConfiguration()
	configuration.HTTPClient = client
	configuration.Servers = api.ServerConfigurations{{URL: node}}
	check := api.NewCheck("Slow")
	check.SetKey(key)
	answer, _, err := api.NewAPIClient(configuration).ChecksAPI.Check(context.Background()).
		CheckRequest(api.CheckRequest{Check: check}).Execute()
	failed(err)
	fmt.Println("api:", answer.Decision.Decision)
}

func failed(err error) {
	if err != nil {
		panic(err)
	}
}
