package io.weir.keys.store;

import io.lettuce.core.Range;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.StoredRecord;
import io.weir.state.wire.ExtensionPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Lists records, a page at a time: each once, in an order of its own, and with a bound on what one page reads. A cursor
 * is the number of a part of the index and the last member that was read of it. Safe for use by many threads.
 */
public final class Listing {
  /** The most records of a page that are read, whether or not they match. */
  private static final int MOST_READ = 2000;

  /** The parts of the index that are read at a time: more and more, as long as they are empty. */
  private static final int FIRST_AT_ONCE = 16;

  private static final int MOST_AT_ONCE = 512;

  private static final int PARTS = ExtensionPartition.COUNT * KeyNames.INDEX_PARTS;

  private final RedisRecords records;

  public Listing(RedisRecords records) {
    this.records = records;
  }

  /** A place in the list. */
  private record Cursor(int part, String after) {
    // A cursor is from outside: it may only name a place within the keys that are listed.
    static Cursor parse(String cursor, String prefix) {
      if (cursor.isEmpty()) {
        return new Cursor(0, "");
      }
      int dot = cursor.indexOf('.');
      String after = cursor.substring(dot + 1);
      boolean isSound = dot > 0
          && cursor.substring(0, dot).matches("\\d{1,5}")
          && (after.isEmpty() || after.startsWith(prefix));
      if (!isSound) {
        throw new IllegalArgumentException("cursor: (expected: one of an earlier answer)");
      }
      return new Cursor(Integer.parseInt(cursor.substring(0, dot)), after);
    }

    String text() {
      return part + "." + after;
    }
  }

  /**
   * A page of keys or tenants.
   *
   * @param tenant of the keys; empty for all
   * @param cursor the end of the page before; empty for the first one
   * @param most entries
   * @throws IllegalArgumentException if the cursor has another form
   */
  public CompletableFuture<Page> page(
      RecordType kind,
      Optional<String> tenant,
      String cursor,
      int most,
      Predicate<StoredRecord> matches) {
    String prefix = tenant.map(it -> it + " ").orElse("");
    Cursor place = Cursor.parse(cursor, prefix);
    Predicate<StoredRecord> all =
        entry -> tenant.map(entry.name().tenant()::equals).orElse(true) && matches.test(entry);
    return new Run(kind, prefix, most, all).from(place, FIRST_AT_ONCE);
  }

  /** The names of all subjects of a part with records whose names are no ids of keys. */
  public CompletableFuture<List<String>> subjects(int part) {
    IntStream partitions = records.parts() == 1 ? ExtensionPartition.all() : IntStream.of(part);
    return RedisRecords.all(partitions
            .mapToObj(KeyNames::subjectIndex)
            .map(index -> membersBehind("", index, new ArrayList<>()))
            .toList())
        .thenApply(
            parts -> parts.stream().flatMap(List::stream).map(Listing::id).toList());
  }

  private CompletableFuture<List<String>> membersBehind(
      String last, String index, List<String> found) {
    Range<String> range = Range.from(Range.Boundary.excluding(last), Range.Boundary.unbounded());
    return records.members(index, range, MOST_READ).thenCompose(some -> {
      found.addAll(some);
      return some.size() < MOST_READ
          ? CompletableFuture.completedFuture(found)
          : membersBehind(some.get(some.size() - 1), index, found);
    });
  }

  private static String id(String member) {
    return member.substring(member.indexOf(' ') + 1);
  }

  /** One page while it is made. Mutable; its steps follow one another. */
  private final class Run {
    private final RecordType kind;
    private final String prefix;
    private final int most;
    private final Predicate<StoredRecord> matches;
    private final List<StoredRecord> found = new ArrayList<>();
    private int read;

    Run(RecordType kind, String prefix, int most, Predicate<StoredRecord> matches) {
      this.kind = kind;
      this.prefix = prefix;
      this.most = most;
      this.matches = matches;
    }

    private int parts() {
      return kind == RecordType.KEY ? PARTS : ExtensionPartition.COUNT;
    }

    private String index(int part) {
      return kind == RecordType.KEY
          ? KeyNames.keyIndex(part / KeyNames.INDEX_PARTS, part % KeyNames.INDEX_PARTS)
          : KeyNames.tenantIndex(part);
    }

    CompletableFuture<Page> from(Cursor place, int atOnce) {
      if (place.part() >= parts()) {
        return CompletableFuture.completedFuture(new Page(found, ""));
      }
      int end = Math.min(parts(), place.part() + atOnce);
      int room = Math.min(most - found.size(), MOST_READ - read);
      return RedisRecords.all(IntStream.range(place.part(), end)
              .mapToObj(part -> members(part, part == place.part() ? place.after() : "", room))
              .toList())
          .thenCompose(members -> with(place.part(), members, room, atOnce));
    }

    private CompletableFuture<List<String>> members(int part, String after, int room) {
      Range.Boundary<String> lower =
          after.isEmpty() ? Range.Boundary.including(prefix) : Range.Boundary.excluding(after);
      Range.Boundary<String> upper = prefix.isEmpty()
          ? Range.Boundary.unbounded()
          : Range.Boundary.excluding(KeyNames.behindMembers(prefix.strip()));
      return records.members(index(part), Range.from(lower, upper), room);
    }

    // Reads the records of as many members as have room, and goes on.
    private CompletableFuture<Page> with(
        int first, List<List<String>> members, int room, int atOnce) {
      List<String> taken = new ArrayList<>();
      Cursor next = new Cursor(first + members.size(), "");
      for (int i = 0; i < members.size(); i++) {
        List<String> some = members.get(i);
        int fit = Math.min(some.size(), room - taken.size());
        taken.addAll(some.subList(0, fit));
        if (taken.size() == room) {
          next = new Cursor(first + i, some.get(fit - 1));
          break;
        }
      }
      Cursor end = next;
      return RedisRecords.all(
              taken.stream().map(member -> records.find(kind, id(member))).toList())
          .thenCompose(entries -> {
            read += taken.size();
            entries.stream().flatMap(Optional::stream).filter(matches).forEach(found::add);
            boolean isDone = found.size() >= most || read >= MOST_READ;
            return isDone
                ? CompletableFuture.completedFuture(new Page(found, end.text()))
                : from(end, taken.isEmpty() ? Math.min(MOST_AT_ONCE, 2 * atOnce) : atOnce);
          });
    }
  }
}
