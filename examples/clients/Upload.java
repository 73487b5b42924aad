import io.weir.client.RetryingHttpClient;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import io.weir.client.unit.RetryUnits;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Uploads a file in 64 segments through a throttled node. A segment is begun, put and committed: when one of
 * that fails, it is begun anew. Finished segments are noted in FILE.uploaded: started again, it goes on
 * where it was.
 *
 *   scripts/up --detach --policy examples/clients/policy.yaml --keys examples/clients/keys.json
 *   java -cp 'tools/cluster/target/quick/lib/*' examples/clients/Upload.java FILE
 *   scripts/down
 */
public final class Upload {
  private static final int SEGMENTS = 64;
  private static final int AT_ONCE = 8;

  private final String node = Optional.ofNullable(System.getenv("WEIR_URL")).orElse("http://127.0.0.1:8081");
  private final String key =
      Optional.ofNullable(System.getenv("WEIR_KEY")).orElse("twenty.demo-secret-of-twenty");
  private final Path file;
  private final Path finished;
  private final RetryingHttpClient client;
  private final RetryUnits units;

  private Upload(Path file) {
    Retryer retryer = Retryer.of(RetryOptions.BACKGROUND, RetryListener.NONE);
    this.file = file;
    this.finished = Path.of(file + ".uploaded");
    this.client = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retryer);
    this.units = new RetryUnits(retryer, "segments", error -> error instanceof IOException);
  }

  public static void main(String[] arguments) throws IOException {
    new Upload(Path.of(arguments[0])).run();
  }

  private void run() throws IOException {
    List<Integer> done = Files.exists(finished)
        ? Files.readAllLines(finished).stream().map(Integer::valueOf).toList()
        : List.of();
    System.out.printf("%d of %d segments are there%n", done.size(), SEGMENTS);
    List<Supplier<CompletionStage<Integer>>> missing = IntStream.range(0, SEGMENTS)
        .filter(segment -> !done.contains(segment))
        .<Supplier<CompletionStage<Integer>>>mapToObj(segment -> () -> upload(segment))
        .toList();
    List<CompletableFuture<Integer>> uploads = units.retryUnits("segment", missing, AT_ONCE);
    uploads.forEach(upload -> System.out.printf("segment %d is there%n", upload.join()));
    System.out.println("done");
  }

  private CompletionStage<Integer> upload(int segment) {
    String address = node + "/objects/1/segments/" + segment;
    return send(HttpRequest.newBuilder(URI.create(address + "/begin")).POST(BodyPublishers.noBody()))
        .thenCompose(begun ->
            send(HttpRequest.newBuilder(URI.create(address)).PUT(BodyPublishers.ofByteArray(read(segment)))))
        .thenCompose(put ->
            send(HttpRequest.newBuilder(URI.create(address + "/commit")).POST(BodyPublishers.noBody())))
        .thenApply(committed -> note(segment));
  }

  private CompletionStage<String> send(HttpRequest.Builder request) {
    return client
        .sendAsync(request.header("X-Api-Key", key).build(), BodyHandlers.ofString())
        .thenCompose(answer -> answer.statusCode() == 200
            ? CompletableFuture.completedStage(answer.body())
            : CompletableFuture.failedStage(new IOException("status " + answer.statusCode())));
  }

  private byte[] read(int segment) {
    try (RandomAccessFile from = new RandomAccessFile(file.toFile(), "r")) {
      long begin = from.length() * segment / SEGMENTS;
      byte[] bytes = new byte[Math.toIntExact(from.length() * (segment + 1) / SEGMENTS - begin)];
      from.seek(begin);
      from.readFully(bytes);
      return bytes;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private synchronized int note(int segment) {
    try {
      Files.writeString(finished, segment + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      return segment;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
