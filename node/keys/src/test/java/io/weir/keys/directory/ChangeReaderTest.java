package io.weir.keys.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ChangeReaderTest {
  @Test
  void veryManyThatFailAtOnceAllEnd() {
    List<CompletableFuture<String>> first = new ArrayList<>();
    AtomicInteger read = new AtomicInteger();
    ChangeReader reader = new ChangeReader(name -> {
      if (read.incrementAndGet() > 50) {
        return CompletableFuture.failedFuture(new IllegalStateException("away"));
      }
      CompletableFuture<String> underWay = new CompletableFuture<>();
      first.add(underWay);
      return underWay;
    });
    for (int i = 0; i < 20_000; i++) {
      reader.add("key:k" + i);
    }
    assertThat(read).hasValue(50);
    first.get(0).complete("read");
    assertThat(read).hasValue(10_050);
    first.forEach(one -> one.complete("read"));
    assertThat(reader.isIdle()).isTrue();
  }
}
