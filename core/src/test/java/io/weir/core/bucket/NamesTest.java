package io.weir.core.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of subjects as parts of other names. */
final class NamesTest {
  @ParameterizedTest
  @CsvSource({
    "k1,            k1",
    "user:4711,     user~3A4711",
    "joe@x.org,     joe~40x~2Eorg",
    "a~b,           a~7Eb",
    "ip:2001::/64,  ip~3A2001~3A~3A~2F64",
  })
  void everyOtherCharacterIsEscaped(String name, String escaped) {
    assertThat(Names.escaped(name)).isEqualTo(escaped);
    assertThat(Names.unescaped(escaped)).isEqualTo(name);
  }

  @Test
  void differentNamesStayDifferent() {
    List<String> names = List.of("a:b", "a~3Ab", "a~7E3Ab", "a~b", "a:~b", "a", "A", "a-b", "a_b");
    Set<String> escaped = new HashSet<>();
    names.forEach(name -> assertThat(escaped.add(Names.escaped(name))).as(name).isTrue());
  }

  @Test
  void aTextThatIsNoEscapedNameStays() {
    assertThat(Names.unescaped("a~zz")).isEqualTo("a~zz");
    assertThat(Names.unescaped("a~20b")).isEqualTo("a~20b");
  }

  @Test
  void aSubjectHasVisibleCharacters() {
    assertThat(Names.isSubject("user:4711")).isTrue();
    assertThat(Names.isSubject("joe smith")).isFalse();
    assertThat(Names.isSubject("jo\u00e9")).isFalse();
    assertThat(Names.isSubject("a\nb")).isFalse();
    assertThat(Names.isSubject("x".repeat(129))).isFalse();
  }
}
