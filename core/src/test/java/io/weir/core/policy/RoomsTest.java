package io.weir.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.policy.DocumentValue.Mapping;
import io.weir.core.policy.DocumentValue.Text;
import io.weir.core.policy.PolicySection.Place;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rooms add fields to policies. */
final class RoomsTest {
  /** A room with one field, which contains a text. */
  private record Room(PartKey<String> key, Place place, Field<String> field)
      implements PolicySection<String> {
    static Room of(String name, Place place, String field) {
      return new Room(new PartKey<>(name, String.class), place, Field.name(field, "a text"));
    }

    @Override
    public List<Field<?>> fields() {
      return List.of(field);
    }

    @Override
    public Optional<String> read(Section section) {
      return section.find(field);
    }
  }

  private static Table table(Rooms rooms, Place place) {
    return Table.of("thing").with(rooms.fields(place));
  }

  @Test
  void eachRoomReadsItsFieldsAtItsPlace() {
    Room color = Room.of("color", Place.POLICY, "color");
    Room sound = Room.of("sound", Place.OPERATION, "sound");
    Rooms rooms = new Rooms(List.of(sound, color));
    Mapping document = new Mapping(1, Map.of("color", new Text(1, "red")));
    Section section = Section.root(document, new Problems("test"), table(rooms, Place.POLICY));
    Parts parts = rooms.read(Place.POLICY, section);
    assertThat(parts.get(color.key())).contains("red");
    assertThat(parts.get(sound.key())).isEmpty();
  }

  @Test
  void twoRoomsMayNotHaveOneField() {
    Room color = Room.of("color", Place.POLICY, "tone");
    Room sound = Room.of("sound", Place.POLICY, "tone");
    Room elsewhere = Room.of("other", Place.OPERATION, "tone");
    assertThatThrownBy(() -> table(new Rooms(List.of(color, sound)), Place.POLICY))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("tone");
    Rooms rooms = new Rooms(List.of(color, elsewhere));
    assertThat(table(rooms, Place.POLICY).expected()).isEqualTo("tone");
    assertThat(table(rooms, Place.OPERATION).expected()).isEqualTo("tone");
  }

  @Test
  void twoRoomsMayNotHaveOneName() {
    assertThatThrownBy(() -> new Rooms(List.of(
            Room.of("color", Place.POLICY, "color"), Room.of("color", Place.POLICY, "hue"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("color");
  }
}
