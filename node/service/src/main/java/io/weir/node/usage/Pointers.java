package io.weir.node.usage;

import io.weir.node.json.JsonLookup;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Some JSON pointers (RFC 6901) as a tree, one segment a level. Immutable once it is made. */
final class Pointers {
  private final Map<String, Pointers> children = new HashMap<>();
  private @Nullable String pointer;

  private Pointers() {}

  /** The root of a tree of pointers. */
  static Pointers of(Set<String> pointers) {
    Pointers root = new Pointers();
    pointers.forEach(pointer -> root.add(JsonLookup.segments(pointer), pointer));
    return root;
  }

  /** The pointer that ends here; null if none does. */
  @Nullable
  String pointer() {
    return pointer;
  }

  /** Whether a pointer goes on from here. */
  boolean goesOn() {
    return !children.isEmpty();
  }

  /** The node of a member or an item; null if no pointer goes there. */
  @Nullable
  Pointers child(String name) {
    return children.get(name);
  }

  private void add(List<String> segments, String whole) {
    if (segments.isEmpty()) {
      pointer = whole;
      return;
    }
    children
        .computeIfAbsent(segments.get(0), name -> new Pointers())
        .add(segments.subList(1, segments.size()), whole);
  }
}
