package io.weir.cluster.local;

import io.weir.client.RetryingHttpClient;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.cluster.local.Herd.Event;
import io.weir.node.auth.KeyHeaders;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Calls of one key through Weir's own client, all at the same moment, the nodes in turn. */
public final class ClientCalls {
  private final List<String> nodes;

  public ClientCalls(List<String> nodes) {
    this.nodes = nodes;
  }

  /**
   * The results of the calls.
   *
   * @param admitted calls that were answered with success
   * @param rejected calls that were answered with 429 in the end
   * @param attempts the number of attempts, in total
   * @param tookNanos the time from the first attempt to the last answer
   */
  public record Outcome(int calls, int admitted, int rejected, long attempts, long tookNanos) {
    /** The number of attempts per successful call. */
    public double attemptsPerSuccess() {
      return (double) attempts / Math.max(1, admitted);
    }
  }

  /**
   * Makes calls and waits until all are answered.
   *
   * @param watcher receives the answers of the nodes to the client; on any thread
   */
  public Outcome run(DemoKey key, int calls, Consumer<Event> watcher) {
    AtomicLong retries = new AtomicLong();
    RetryListener counter = new RetryListener() {
      @Override
      public void retrying(String upstream, String reason, Duration wait) {
        retries.incrementAndGet();
        watcher.accept(reason.equals("429") ? Event.REJECTED : Event.UNDECIDED);
      }
    };
    RetryingHttpClient client = RetryingHttpClient.wrap(
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(),
        RetryOptions.DEFAULT,
        counter);
    long began = System.nanoTime();
    List<CompletableFuture<Event>> ends = IntStream.range(0, calls)
        .mapToObj(i -> client
            .sendAsync(request(key, i), BodyHandlers.discarding())
            .handle((answer, error) -> event(error == null ? answer.statusCode() : 0))
            .whenComplete((event, error) -> watcher.accept(event)))
        .toList();
    CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new))
        .orTimeout(10, TimeUnit.MINUTES)
        .join();
    long took = System.nanoTime() - began;
    return new Outcome(
        calls,
        count(ends, Event.ADMITTED),
        count(ends, Event.REJECTED),
        calls + retries.get(),
        took);
  }

  private static int count(List<CompletableFuture<Event>> ends, Event event) {
    return (int) ends.stream().filter(end -> end.join() == event).count();
  }

  private static Event event(int status) {
    if (status / 100 == 2) {
      return Event.ADMITTED;
    }
    return status == 429 ? Event.REJECTED : Event.UNDECIDED;
  }

  private HttpRequest request(DemoKey key, int turn) {
    return HttpRequest.newBuilder(URI.create(nodes.get(turn % nodes.size()) + key.path()))
        .method(key.method(), HttpRequest.BodyPublishers.noBody())
        .header(KeyHeaders.HEADER, key.key())
        .build();
  }
}
