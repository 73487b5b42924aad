package io.weir.node.usage;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds whole numbers in JSON documents as they pass, by their pointers (RFC 6901). Numbers of a later document replace
 * those of an earlier one. The work is linear in the bytes: a name is compared only on the way to a wanted number.
 * Mutable; used by one request.
 */
final class Numbers implements JsonScanner.Visitor {
  private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,15}");
  private static final long MAX_COST = (1L << 53) - 1;
  private static final int OF_OBJECT = -1;

  private final Pointers wanted;
  private final Map<String, Long> found = new HashMap<>();
  /** For each open object and array: its node in the tree of pointers, null if no pointer goes through it. */
  private final @Nullable Pointers[] places = new Pointers[JsonScanner.MAX_DEPTH + 1];

  private final int[] indexes = new int[JsonScanner.MAX_DEPTH + 1];
  private int depth;
  private @Nullable Pointers member;
  private JsonScanner scanner = new JsonScanner(this);
  private boolean isBroken;

  Numbers(Set<String> pointers) {
    this.wanted = Pointers.of(pointers);
  }

  /** Reads a piece of a document. */
  void feed(byte[] bytes) {
    isBroken = isBroken || !scanner.feed(bytes); // keeps the numbers found before
  }

  /** Reads a whole document. */
  void read(byte[] document) {
    scanner = new JsonScanner(this);
    depth = 0;
    isBroken = false;
    feed(document);
  }

  /** The last number at a pointer. */
  OptionalLong at(String pointer) {
    Long number = found.get(pointer);
    return number == null ? OptionalLong.empty() : OptionalLong.of(number);
  }

  @Override
  public boolean wantsName() {
    Pointers place = places[depth];
    return place != null && place.goesOn();
  }

  @Override
  public void name(@Nullable String name) {
    Pointers place = places[depth];
    member = name == null || place == null ? null : place.child(name);
  }

  @Override
  public boolean wantsNumber() {
    Pointers here = here();
    return here != null && here.pointer() != null;
  }

  @Override
  public void number(String text) {
    Pointers here = here();
    String pointer = here == null ? null : here.pointer();
    if (pointer != null && WHOLE.matcher(text).matches()) {
      long value = Long.parseLong(text);
      if (value <= MAX_COST) {
        found.put(pointer, value);
      }
    }
  }

  @Override
  public void begin(boolean isArray) {
    Pointers here = here();
    depth++;
    places[depth] = here;
    indexes[depth] = isArray ? 0 : OF_OBJECT;
  }

  @Override
  public void end() {
    depth--;
    scalarEnded();
  }

  @Override
  public void scalarEnded() {
    if (depth > 0 && indexes[depth] != OF_OBJECT) {
      indexes[depth]++;
    }
  }

  /** The tree node of the value that begins. */
  private @Nullable Pointers here() {
    if (depth == 0) {
      return wanted;
    }
    if (indexes[depth] == OF_OBJECT) {
      return member;
    }
    Pointers place = places[depth];
    return place == null || !place.goesOn() ? null : place.child(Integer.toString(indexes[depth]));
  }
}
