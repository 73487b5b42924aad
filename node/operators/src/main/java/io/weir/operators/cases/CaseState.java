package io.weir.operators.cases;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How a case stands. */
public enum CaseState {
  /** Its requests are denied. */
  NOW(CaseType.DENIED),
  /** Its limit is at least four fifths full, and denies nothing: yet, or since it only warns. */
  NEARLY(CaseType.NEAR),
  /** A limit that is only rehearsed would deny its requests. */
  WOULDBE(CaseType.WOULD_DENY),
  /** Its requests were denied within the last 24 hours, and are not any more. */
  CLOSED(CaseType.DENIED);

  private final CaseType kind;

  CaseState(CaseType kind) {
    this.kind = kind;
  }

  /** The word for it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The state with this word. */
  public static Optional<CaseState> of(String word) {
    return Stream.of(values()).filter(state -> state.word().equals(word)).findFirst();
  }

  /** All words. */
  public static String words() {
    return Stream.of(values()).map(CaseState::word).collect(Collectors.joining(", "));
  }

  /** The kinds that have to be known to find its cases. */
  Set<CaseType> kinds() {
    return this == NEARLY ? Set.of(kind, CaseType.WARNED, CaseType.DENIED) : Set.of(kind);
  }

  /** The cases that stand so, the most frequent first. */
  List<Case> of(Cases all, long nowMillis) {
    Set<CaseName> denied =
        open(all.of(CaseType.DENIED), nowMillis).map(Case::name).collect(Collectors.toSet());
    Stream<Case> found = switch (this) {
      case NOW, WOULDBE -> open(all.of(kind), nowMillis);
      case NEARLY ->
        Stream.concat(
            open(all.of(kind), nowMillis).filter(one -> !denied.contains(one.name())),
            open(all.of(CaseType.WARNED), nowMillis).map(Case::thatWarns));
      case CLOSED -> all.of(kind).stream().filter(one -> !one.isOpen(nowMillis));
    };
    return found.sorted(Case.MOST_FIRST).toList();
  }

  /** Whether a node that lists these cases may know more that stand so. */
  boolean mayHaveMore(Cases ofNode, long nowMillis) {
    Stream<CaseType> listed = this == NEARLY ? Stream.of(kind, CaseType.WARNED) : Stream.of(kind);
    return listed.anyMatch(one -> ofNode.of(one).stream()
            .filter(found -> found.isOpen(nowMillis) == (this != CLOSED))
            .count()
        >= CaseQuery.MOST_OF_NODE);
  }

  private static Stream<Case> open(List<Case> cases, long nowMillis) {
    return cases.stream().filter(one -> one.isOpen(nowMillis));
  }
}
