package io.weir.policy;

import io.weir.bucket.Names;
import io.weir.bucket.Scope;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Reads the list of buckets. */
final class BucketsReader {
  private final ShapeReader shapes;
  private final Scope defaultScope;

  BucketsReader(ShapeReader shapes, Scope defaultScope) {
    this.shapes = shapes;
    this.defaultScope = defaultScope;
  }

  List<DefinedBucket> read(Section root) {
    Set<String> names = new HashSet<>();
    List<DefinedBucket> buckets = new ArrayList<>();
    for (Section section : root.sections("buckets")) {
      bucket(section, names).ifPresent(buckets::add);
    }
    return buckets;
  }

  private Optional<DefinedBucket> bucket(Section section, Set<String> names) {
    Optional<String> name = section.requiredText("name", Names::isName, Names.NAME_PATTERN);
    Scope scope = section.choice("scope", Scopes.BY_WORD).orElse(defaultScope);
    boolean highVolume = section.flag("highVolume");
    OptionalLong burst = shapes.burstMillis(section);
    Optional<List<BucketShape.Group>> groups = shapes.groups(section);
    section.refuseUnknown();
    if (name.isPresent() && !names.add(name.get())) {
      section.error(
          "name_repeated", "name", "'%s' is the name of a bucket already".formatted(name.get()));
      return Optional.empty();
    }
    if (name.isEmpty() || groups.isEmpty()) {
      return Optional.empty();
    }
    return shapes
        .shape(section, name.get(), scope, burst.orElse(0), groups.get())
        .map(shape -> new DefinedBucket(
            section, shape, highVolume ? BucketSet.HIGH_VOLUME : BucketSet.ORDINARY));
  }

  /** A bucket of the policy, and where it stands. */
  record DefinedBucket(Section section, BucketShape shape, BucketSet set) {
    String name() {
      return shape.bucket().name();
    }
  }

  /** The two sets that Hiero's throttle files carry side by side. No plan draws from both. */
  enum BucketSet {
    ORDINARY,
    HIGH_VOLUME
  }
}
