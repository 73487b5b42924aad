package io.weir.keys.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.keys.store.ListedChange;
import io.weir.keys.store.StoredFields;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class RecentChangesTest {
  private final AtomicLong nanos = new AtomicLong(12_345);
  private final RecentChanges recent = new RecentChanges(nanos::get);

  private static StoredFields stored(String name, long version, String note) {
    return new StoredFields(name, version, Map.of("version", Long.toString(version), "note", note));
  }

  private void changed(String name, long version, String note) {
    assertThat(recent.add(new ListedChange(name, version, false))).isTrue();
    recent.newest(stored(name, version, note));
  }

  @Test
  void theNewestCountsWhateverRedisSays() {
    changed("key:k1", 9, "new");
    assertThat(recent.newest(stored("key:k1", 5, "old"))).isEqualTo(stored("key:k1", 9, "new"));
    assertThat(recent.newest(stored("key:k1", 10, "newer")))
        .isEqualTo(stored("key:k1", 10, "newer"));
    recent.add(new ListedChange("key:k1", 11, true));
    assertThat(recent.newest(stored("key:k1", 10, "newer")).isRemoved()).isTrue();
    assertThat(recent.newest(stored("key:k1", 12, "again")).isRemoved()).isFalse();
  }

  @Test
  void aChangeWhoseContentIsNotKnownRefusesItsKey() {
    recent.add(new ListedChange("key:k1", 9, false));
    assertThatThrownBy(() -> recent.newest(stored("key:k1", 5, "old")))
        .hasMessageContaining("key_uncertain");
    assertThat(recent.newest(StoredFields.removed("key:k1", 0)).isRemoved()).isTrue();
    assertThat(recent.newest(stored("key:k1", 9, "new")).isRemoved()).isFalse();
  }

  @Test
  void anOlderLineChangesNothing() {
    changed("key:k1", 9, "new");
    assertThat(recent.add(new ListedChange("key:k1", 8, true))).isFalse();
    assertThat(recent.newest(stored("key:k1", 9, "new")).isRemoved()).isFalse();
  }

  @Test
  void whatIsKnownOfTokensIsFound() {
    recent.add(new ListedChange("token:t1", 9, true));
    changed("token:t2", 8, "kept");
    recent.add(new ListedChange("token:t3", 10, false));
    changed("key:token", 11, "other");
    assertThat(recent.records("token:")).containsExactly("token:t2");
    assertThat(recent.hasRecord("token:t1")).isFalse();
  }

  @Test
  void theyAreForgottenAfterAnHour() {
    changed("key:k1", 9, "new");
    nanos.addAndGet(Duration.ofMinutes(30).toNanos());
    changed("key:k2", 10, "new");
    nanos.addAndGet(Duration.ofMinutes(30).toNanos());
    assertThat(recent.contents()).containsExactly(stored("key:k2", 10, "new"));
  }

  @Test
  void ofVeryManyTheNewestAreKept() {
    for (int i = 0; i < 1000; i++) {
      changed("key:k" + i, i + 1, "x".repeat(20_000));
    }
    List<StoredFields> kept = recent.contents();
    assertThat(kept).hasSizeBetween(150, 250);
    assertThat(kept.get(kept.size() - 1).name()).isEqualTo("key:k999");
  }
}
